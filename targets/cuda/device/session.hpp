// What every object of one open device shares: the driver, the context, and whether it is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "accy/result.hpp"
#include "targets/cuda/device/driver_api.hpp"

namespace accy::cuda {

/// Error of a failed driver call: "cuMemAlloc_v2 failed (2 CUDA_ERROR_OUT_OF_MEMORY)", with the raw
/// code in driver_code.
Error driver_error(const driver::Api& api, driver::Code code, std::string_view symbol);

/// Limits of one open device.
struct SessionOptions {
  std::chrono::nanoseconds wait_limit = std::chrono::seconds(120);  ///< for one run to finish
};

/// One device's primary context. Errors after which the context is gone are latched: every later
/// call fails with device_lost and the first error's message.
class Session {
 public:
  Session(const driver::Api& api, std::string name, SessionOptions options)
      : api_(api), name_(std::move(name)), options_(options) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Retains the primary context and makes the stream.
  Status open(driver::Ordinal ordinal);

  const driver::Api& api() const { return api_; }
  driver::ContextHandle context() const { return context_; }
  driver::StreamHandle stream() const { return stream_; }
  std::chrono::nanoseconds wait_limit() const { return options_.wait_limit; }

  /// Success, or the error of the call of that symbol; latches those that end the context.
  Status check(driver::Code code, std::string_view symbol);
  /// The latched loss as an error, if there was one.
  Status usable() const;
  /// After a wait that ran out: nothing may be freed, as freeing would wait for the device.
  void abandon(const Error& reason);
  bool abandoned() const { return abandoned_; }

 private:
  const driver::Api& api_;
  std::string name_;
  SessionOptions options_;
  driver::Ordinal ordinal_ = 0;
  driver::ContextHandle context_ = nullptr;
  driver::StreamHandle stream_ = nullptr;
  std::optional<std::string> lost_;
  bool abandoned_ = false;
};

/// Makes the session's context current on this thread for the object's life.
class CurrentContext {
 public:
  explicit CurrentContext(Session& session);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  /// Whether the device is usable and the context is current.
  const Status& status() const { return status_; }

 private:
  Session& session_;
  Status status_;
  bool pushed_ = false;
};

}  // namespace accy::cuda

/// Calls the member of the session's driver and returns its error from the enclosing function.
#define ACCY_CUDA_TRY(session, member, ...) \
  ACCY_TRY(                                 \
      (session).check((session).api().member(__VA_ARGS__), ::accy::cuda::driver::symbols::member))
