// Reading a `.choir` program from a file.
#pragma once

#include <filesystem>
#include <string>

#include "accy/result.hpp"

namespace accy::frontend {

/// Largest program text in bytes; weights live in files of their own.
inline constexpr std::uintmax_t program_bytes_maximum = std::uintmax_t{1} << 28;

/// The text of a program file. Errors: it does not exist, is no regular file, cannot be read, or is
/// larger than program_bytes_maximum.
Result<std::string> read_program_text(const std::filesystem::path& path);

}  // namespace accy::frontend
