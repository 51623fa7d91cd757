// Errors as values: accy::Error, accy::Result<T> and the macros that pass an error on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "accy/export.hpp"

namespace accy {

/// What kind of failure an Error is; every code has one exit code of the tool and one test.
enum class ErrorCode : std::uint8_t {
  invalid_input,   ///< the program, a file or an argument is wrong
  unsupported,     ///< valid, but this profile or this version cannot do it
  not_found,       ///< a device, target or profile of that name does not exist here
  io,              ///< a file could not be read or written
  out_of_memory,   ///< host or device memory ran out
  device,          ///< the driver reported a failure; driver_code holds its raw code
  device_lost,     ///< the device is gone; every later call on it fails with this code
  timeout,         ///< a finite wait ran out
  pass_failed,     ///< a compiler pass or the verifier behind it failed
  internal,        ///< accy broke its own rule
};

ACCY_EXPORT std::string_view to_string(ErrorCode code);

/// A place in a program text. line and column count from 1; 0 means unknown.
struct ACCY_EXPORT SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool known() const { return line != 0; }
  /// "file:line:column" as far as known.
  std::string to_string() const;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// An error value: what failed, with the value and the limit in the message, and where.
struct ACCY_EXPORT Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;            ///< lower case, present tense, value and limit in parentheses
  SourceLocation where;           ///< the place in the program that caused it, when there is one
  std::string op;                 ///< the op it concerns, as "tensor.add", when there is one
  std::int64_t driver_code = 0;   ///< raw VkResult or CUresult, 0 when no driver is involved
  std::vector<std::string> contexts;  ///< what was being done, innermost first

  /// Adds what was being done when the error came up.
  Error with(std::string context) && {
    contexts.push_back(std::move(context));
    return std::move(*this);
  }
  /// One line (or more, for collected diagnostics) for people.
  std::string to_string() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;
using Failure = tl::unexpected<Error>;

/// Makes the failure value that converts to any Result.
inline Failure fail(ErrorCode code, std::string message) {
  return Failure(Error{code, std::move(message), {}, {}, 0, {}});
}
inline Failure fail(ErrorCode code, std::string message, SourceLocation where,
                    std::string op = {}) {
  return Failure(Error{code, std::move(message), std::move(where), std::move(op), 0, {}});
}
inline Failure fail(Error error) { return Failure(std::move(error)); }

/// Aborts with a message: accy itself is wrong. Never reachable from user input.
[[noreturn]] ACCY_EXPORT void assertion_failed(const char* condition, const char* file, int line,
                                               const std::string& message);

}  // namespace accy

#define ACCY_CONCAT_INNER(a, b) a##b
#define ACCY_CONCAT(a, b) ACCY_CONCAT_INNER(a, b)

/// Returns the error of `expression` (a Result or Status) from the enclosing function.
#define ACCY_TRY(expression)                                           \
  do {                                                                 \
    if (auto accy_status = (expression); !accy_status)                 \
      return ::accy::Failure(std::move(accy_status.error()));          \
  } while (false)

#define ACCY_TRY_ASSIGN_INNER(temporary, declaration, expression)      \
  auto temporary = (expression);                                       \
  if (!temporary) return ::accy::Failure(std::move(temporary.error())); \
  declaration = std::move(*temporary)

/// ACCY_TRY_ASSIGN(auto x, f()); assigns the value or returns the error.
#define ACCY_TRY_ASSIGN(declaration, ...) \
  ACCY_TRY_ASSIGN_INNER(ACCY_CONCAT(accy_result_, __COUNTER__), declaration, (__VA_ARGS__))

/// A rule of accy itself; a user's mistake is an Error, never this.
#define ACCY_ASSERT(condition, message) \
  ((condition) ? void(0) : ::accy::assertion_failed(#condition, __FILE__, __LINE__, (message)))
