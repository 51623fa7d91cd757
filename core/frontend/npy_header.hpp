// The header of an NPY file: a Python dictionary literal that names type, order and shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accy/element_type.hpp"
#include "accy/result.hpp"

namespace accy::frontend {

/// Bytes of a file that the header is looked for in: numpy writes a few hundred at most.
inline constexpr std::size_t npy_prefix_bytes_maximum = 65536;

struct NpyHeader {
  ElementType element = ElementType::f32;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  ///< bytes
  std::int64_t data_bytes = 0;   ///< what shape and element take; the file has exactly these
};

/// Reads the header from the first bytes of a file, all of it or npy_prefix_bytes_maximum, and
/// checks it against the size of the file. `file` names it in errors.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> prefix, std::int64_t file_bytes,
                                   std::string_view file);

/// Magic, version, length and dictionary, padded so that the data is aligned to 64 bytes.
Result<std::string> format_npy_header(ElementType element, std::span<const std::int64_t> shape);

}  // namespace accy::frontend
