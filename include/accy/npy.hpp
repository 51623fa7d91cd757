// NumPy's NPY files, one tensor each.
#pragma once

#include <string>

#include "accy/export.hpp"
#include "accy/host_tensor.hpp"

namespace accy {

/// Reads bool, i8 to i64, u8 to u64, f16, f32 or f64 of any layout. Errors: io, invalid_input.
ACCY_EXPORT Result<HostTensor> read_npy(const std::string& path);
/// Writes version 1.0, replacing the file. bf16 has no NPY type and is an error.
ACCY_EXPORT Status write_npy(const std::string& path, const HostTensor& tensor);

}  // namespace accy
