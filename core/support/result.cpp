#include "accy/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace accy {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_input: return "invalid input";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::not_found: return "not found";
    case ErrorCode::io: return "input/output";
    case ErrorCode::out_of_memory: return "out of memory";
    case ErrorCode::device: return "device error";
    case ErrorCode::device_lost: return "device lost";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::pass_failed: return "pass failed";
    case ErrorCode::internal: return "internal error";
  }
  return "internal error";
}

std::string SourceLocation::to_string() const {
  if (!known()) return file;
  const std::string text = file + ":" + std::to_string(line);
  return column == 0 ? text : text + ":" + std::to_string(column);
}

std::string Error::to_string() const {
  std::string text;
  if (where.known()) text += where.to_string() + ": ";
  text += accy::to_string(code);
  text += ": ";
  if (!op.empty()) text += op + ": ";
  text += message;
  if (driver_code != 0) text += " [driver code " + std::to_string(driver_code) + "]";
  for (const std::string& context : contexts) text += "\n  while " + context;
  return text;
}

void assertion_failed(const char* condition, const char* file, int line,
                      const std::string& message) {
  std::fprintf(stderr, "accy: internal error: %s (%s) at %s:%d\n", message.c_str(), condition, file,
               line);
  std::abort();
}

}  // namespace accy
