// The header of a safetensors file: a JSON object of tensors with type, shape and place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "accy/element_type.hpp"
#include "accy/result.hpp"

namespace accy::frontend {

inline constexpr std::int64_t safetensors_header_bytes_maximum = 100'000'000;

struct SafetensorsEntry {
  ElementType element = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  ///< bytes from the start of the data, that is, behind the header
  std::int64_t end = 0;
};

using SafetensorsEntries = std::map<std::string, SafetensorsEntry, std::less<>>;

/// Reads the JSON text of a header and checks it against the size of the data behind it: known
/// types, shapes that fit their ranges, and ranges that cover the data without overlap or hole.
/// `file` names the source in errors.
Result<SafetensorsEntries> parse_safetensors_header(std::string_view text, std::int64_t data_bytes,
                                                    std::string_view file);

}  // namespace accy::frontend
