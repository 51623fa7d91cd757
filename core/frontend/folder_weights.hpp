// Weights from safetensors files inside one folder: the folder of the program that names them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include "dialect/tensor/weight_source.hpp"
#include "frontend/safetensors.hpp"

namespace accy::frontend {

/// Reads no file outside its folder, whatever the program says. May be used by several threads.
class FolderWeights final : public tensor::WeightSource {
 public:
  /// A folder that cannot be found makes every load an error. An empty path is the current folder.
  explicit FolderWeights(const std::filesystem::path& folder);

  /// `file` is relative to the folder, without "..", and no symbolic link on its way leaves the
  /// folder. Each file is opened once. Errors carry `where`.
  Result<HostTensor> load(std::string_view file, std::string_view tensor,
                          const SourceLocation& where) const override;

 private:
  Result<HostTensor> load_unlocated(std::string_view file, std::string_view tensor) const;
  Result<std::filesystem::path> resolve(std::string_view file) const;

  std::error_code folder_error_;  // before folder_, whose initialization sets it
  std::filesystem::path folder_;  // canonical
  mutable std::mutex mutex_;
  mutable std::map<std::string, SafetensorsFile, std::less<>> files_;  // by name in the program
};

}  // namespace accy::frontend
