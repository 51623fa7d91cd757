// The seven stages by name and order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "choir/product.hpp"

namespace accy::preparation {

enum class Stage : std::uint8_t { semantic, contract, tensor, dispatch, memory, kernel, target };
inline constexpr std::size_t stage_count = 7;
std::string_view to_string(Stage stage);
const choir::StageSpec& stage_spec(Stage stage);

}  // namespace accy::preparation
