#include "targets/cuda/device/session.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace accy::cuda {

namespace {

/// Codes after which the context answers nothing but errors.
constexpr std::array<driver::Code, 13> fatal_codes{
    driver::deinitialized,        driver::device_unavailable,    driver::ecc_uncorrectable,
    driver::nvlink_uncorrectable, driver::illegal_address,       driver::launch_timeout,
    driver::assert_failed,        driver::hardware_stack_error,  driver::illegal_instruction,
    driver::misaligned_address,   driver::invalid_address_space, driver::invalid_program_counter,
    driver::launch_failed};

ErrorCode kind_of(driver::Code code) {
  switch (code) {
    case driver::out_of_memory: return ErrorCode::out_of_memory;
    case driver::no_device: return ErrorCode::not_found;
    case driver::no_binary_for_gpu:
    case driver::jit_compiler_not_found:
    case driver::unsupported_ptx_version:
    case driver::jit_compilation_disabled: return ErrorCode::unsupported;
    default: break;
  }
  const bool fatal = std::find(fatal_codes.begin(), fatal_codes.end(), code) != fatal_codes.end();
  return fatal ? ErrorCode::device_lost : ErrorCode::device;
}

}  // namespace

Error driver_error(const driver::Api& api, driver::Code code, std::string_view symbol) {
  const char* name = nullptr;
  if (api.get_error_name(code, &name) != driver::success || name == nullptr) name = "unnamed";
  Error error;
  error.code = kind_of(code);
  error.message = fmt::format("{} failed ({} {})", symbol, code, name);
  error.driver_code = code;
  return error;
}

Status Session::open(driver::Ordinal ordinal) {
  driver::ContextHandle context = nullptr;
  ACCY_CUDA_TRY(*this, primary_context_retain, &context, ordinal);
  context_ = context;
  ordinal_ = ordinal;
  const CurrentContext current(*this);
  ACCY_TRY(current.status());
  // A stream that waits for the default one, on which the synchronous copies run.
  ACCY_CUDA_TRY(*this, stream_create, &stream_, 0U);
  return {};
}

Session::~Session() {
  if (context_ == nullptr || abandoned_) return;
  if (stream_ != nullptr) {
    const CurrentContext current(*this);
    api_.stream_destroy(stream_);
  }
  api_.primary_context_release(ordinal_);
}

Status Session::check(driver::Code code, std::string_view symbol) {
  if (code == driver::success) return {};
  Error error = driver_error(api_, code, symbol);
  if (error.code == ErrorCode::device_lost && !lost_) lost_ = error.message;
  return fail(std::move(error));
}

Status Session::usable() const {
  if (!lost_) return {};
  return fail(ErrorCode::device_lost, fmt::format("device {} is lost: {}", name_, *lost_));
}

void Session::abandon(const Error& reason) {
  if (!lost_) lost_ = reason.message;
  abandoned_ = true;
}

CurrentContext::CurrentContext(Session& session) : session_(session) {
  status_ = session.usable();
  if (session.abandoned()) return;
  const driver::Code code = session.api().context_push(session.context());
  pushed_ = code == driver::success;
  if (status_) status_ = session.check(code, driver::symbols::context_push);
}

CurrentContext::~CurrentContext() {
  driver::ContextHandle popped = nullptr;
  if (pushed_) session_.api().context_pop(&popped);
}

}  // namespace accy::cuda
