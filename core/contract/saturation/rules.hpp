// The rules of saturation, by family; each file has its table at the end.
#pragma once

#include <span>
#include <vector>

#include "choir/egraph/saturation.hpp"

namespace accy::contract {

std::span<const choir::RewriteRule> algebra_rules();
std::span<const choir::RewriteRule> layout_rules();
std::span<const choir::RewriteRule> slice_rules();
std::span<const choir::RewriteRule> matmul_rules();
std::span<const choir::RewriteRule> reduction_rules();

/// All families.
const std::vector<choir::RewriteRule>& saturation_rules();

}  // namespace accy::contract
