// Leaves a reproducer behind when a compile fails or crashes.
#pragma once

#include <filesystem>
#include <memory>

#include "preparation/options.hpp"
#include "preparation/reproducer.hpp"
#include "support/crash_file.hpp"

namespace accy::tools {

/// For one compile of one program for one profile. Until it records it does nothing.
class FailureWatch {
 public:
  FailureWatch(std::string program, TargetProfile profile)
      : program_(std::move(program)), profile_(std::move(profile)) {}
  FailureWatch(const FailureWatch&) = delete;
  FailureWatch& operator=(const FailureWatch&) = delete;
  ~FailureWatch() { clear_crash_file(); }

  /// Makes the folder, and the options tell this object about failures; it must outlive their use.
  Status record_into(const std::filesystem::path& folder, preparation::PreparationOptions& options);

  /// Writes the recorded failure, if there is one. The error, which then says where it is.
  Error write_reproducer(Error error);

 private:
  std::string text_of(const choir::PassFailure& failure) const;

  std::string program_;
  TargetProfile profile_;
  std::filesystem::path folder_;  ///< empty: does not record
  choir::PassFailure failure_;
  std::unique_ptr<CrashFileHandler> crashes_;
};

}  // namespace accy::tools
