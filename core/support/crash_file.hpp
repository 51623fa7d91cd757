// A file that is written when the process crashes: what was being done, prepared beforehand.
#pragma once

#include <string>

#include "accy/result.hpp"

namespace accy {

/// While one exists, a fatal signal (SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL) writes the file that
/// the crashing thread prepared, says so on standard error, and then ends the process as it would
/// have ended. One at a time.
class CrashFileHandler {
 public:
  CrashFileHandler();
  ~CrashFileHandler();
  CrashFileHandler(const CrashFileHandler&) = delete;
  CrashFileHandler& operator=(const CrashFileHandler&) = delete;
};

/// What this thread's crash would write, until the next call. Also gives the thread a stack for
/// signals, so that an overflow of its own is caught.
void prepare_crash_file(std::string path, std::string content);
/// A crash of this thread writes nothing.
void clear_crash_file();

}  // namespace accy
