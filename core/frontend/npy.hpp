// NumPy's NPY files, versions 1 to 3: one tensor a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "accy/host_tensor.hpp"

namespace accy::frontend {

/// Reads a tensor of bool, i8 to i64, u8 to u64, f16, f32 or f64, little endian. Fortran order is
/// brought to row-major order. The file must hold exactly the data that its header announces.
Result<HostTensor> read_npy(const std::filesystem::path& path);

/// As read_npy, from the content of a file; `file` names it in errors.
Result<HostTensor> parse_npy(std::span<const std::byte> content, std::string_view file);

/// The content of an NPY file, version 1.0, row-major. bf16 has no NPY type and is an error.
Result<std::vector<std::byte>> encode_npy(const HostTensor& tensor);

/// Writes encode_npy's content, replacing the file.
Status write_npy(const std::filesystem::path& path, const HostTensor& tensor);

}  // namespace accy::frontend
