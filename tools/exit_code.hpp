// What the accy program tells the shell.
#pragma once

#include "accy/result.hpp"

namespace accy::tools {

enum class ExitCode : int {
  done = 0,
  check_failed = 1,    ///< ran, but a result is wrong
  bad_input = 2,       ///< a file, a program or the command line is wrong or not supported
  no_such_device = 3,  ///< no device, target or profile of that name is here
  device_error = 4,    ///< a driver failed, or memory or time ran out
  internal_error = 5,  ///< accy itself is wrong
};

/// The exit code of a command that stops with an error of that code.
constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_input:
    case ErrorCode::unsupported:
    case ErrorCode::io: return ExitCode::bad_input;
    case ErrorCode::not_found: return ExitCode::no_such_device;
    case ErrorCode::out_of_memory:
    case ErrorCode::device:
    case ErrorCode::device_lost:
    case ErrorCode::timeout: return ExitCode::device_error;
    case ErrorCode::pass_failed:
    case ErrorCode::internal: return ExitCode::internal_error;
  }
  return ExitCode::internal_error;
}

}  // namespace accy::tools
