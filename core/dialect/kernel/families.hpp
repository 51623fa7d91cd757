// The families of operations: what kernel.cpp lists and each family file defines.
#pragma once

#include <span>

#include "choir/definition.hpp"

namespace accy::kernel {

std::span<const choir::OperationDefinition> structure_operations();
std::span<const choir::OperationDefinition> memory_operations();
std::span<const choir::OperationDefinition> arithmetic_operations();
std::span<const choir::OperationDefinition> math_operations();
std::span<const choir::OperationDefinition> subgroup_operations();
std::span<const choir::OperationDefinition> control_operations();

}  // namespace accy::kernel
