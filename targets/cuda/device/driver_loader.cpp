#include "targets/cuda/device/driver_loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace accy::cuda::driver {

namespace {

constexpr const char* library_name = "libcuda.so.1";

std::string last_loader_error() {
  const char* message = dlerror();
  return message == nullptr ? "no reason given" : message;
}

Result<Api> load() {
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(ErrorCode::not_found,
                fmt::format("{} cannot be loaded: {}", library_name, last_loader_error()));
  Api api;
#define ACCY_CUDA_LOOK_UP(member, symbol, parameters)                           \
  api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, #symbol)); \
  if (api.member == nullptr)                                                    \
    return fail(ErrorCode::not_found,                                           \
                fmt::format("{} lacks {}; the driver is too old", library_name, #symbol));
  ACCY_CUDA_DRIVER_FUNCTIONS(ACCY_CUDA_LOOK_UP)
#undef ACCY_CUDA_LOOK_UP
  return api;
}

}  // namespace

const Result<Api>& installed_driver() {
  static const Result<Api> driver = load();
  return driver;
}

}  // namespace accy::cuda::driver
