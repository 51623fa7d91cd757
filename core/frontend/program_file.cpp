#include "frontend/program_file.hpp"

#include <fstream>
#include <system_error>

namespace accy::frontend {

Result<std::string> read_program_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error || !std::filesystem::is_regular_file(status))
    return fail(ErrorCode::invalid_input,
                "program '" + path.string() + "' " +
                    (std::filesystem::exists(status) ? "is no regular file" : "does not exist"));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > program_bytes_maximum)
    return fail(ErrorCode::invalid_input, "program '" + path.string() + "' is larger (" +
                                              std::to_string(size) + " bytes) than the limit (" +
                                              std::to_string(program_bytes_maximum) + ")");
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(error ? 0 : size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (error || !file || static_cast<std::uintmax_t>(file.gcount()) != size)
    return fail(ErrorCode::invalid_input, "program '" + path.string() + "' cannot be read");
  return text;
}

}  // namespace accy::frontend
