#include "targets/cuda/device/objects.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace accy::cuda {

namespace {

constexpr std::size_t log_bytes = 8192;

Status check_binary(const runtime::KernelBinary& binary) {
  if (binary.format != "ptx")
    return fail(ErrorCode::unsupported, fmt::format("kernel {} has code of format '{}' (needs ptx)",
                                                    binary.name, binary.format));
  constexpr std::int64_t warp = 32;
  if (binary.subgroup != 0 && binary.subgroup != warp)
    return fail(ErrorCode::unsupported,
                fmt::format("kernel {} needs subgroup size {} (the device has {})", binary.name,
                            binary.subgroup, warp));
  return {};
}

std::string text_of(std::span<const std::byte> code) {
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (session_.abandoned()) return;
  const CurrentContext current(session_);
  session_.api().memory_free(address_);
}

Result<Module> Module::load(Session& session, const runtime::KernelBinary& binary) {
  const std::string text = text_of(binary.code);  // the driver wants a terminator
  std::array<char, log_bytes> log{};
  std::array options{driver::error_log_buffer, driver::error_log_buffer_size_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(std::uintptr_t{log_bytes})};
  driver::ModuleHandle handle = nullptr;
  const driver::Code code =
      session.api().module_load(&handle, text.c_str(), static_cast<unsigned int>(options.size()),
                                options.data(), values.data());
  Status status = session.check(code, driver::symbols::module_load);
  if (status) return Module(session, handle);
  log.back() = '\0';
  if (log.front() != '\0') status.error().message += fmt::format(": {}", log.data());
  return fail(std::move(status.error()).with("loading kernel " + binary.name));
}

Module::~Module() {
  if (handle_ == nullptr || session_.abandoned()) return;
  const CurrentContext current(session_);
  session_.api().module_unload(handle_);
}

Result<Event> Event::create(Session& session) {
  driver::EventHandle handle = nullptr;
  ACCY_CUDA_TRY(session, event_create, &handle, 0U);
  return Event(session, handle);
}

Event::~Event() {
  if (handle_ == nullptr || session_.abandoned()) return;
  const CurrentContext current(session_);
  session_.api().event_destroy(handle_);
}

Result<std::unique_ptr<DeviceKernels>>
DeviceKernels::load(Session& session, std::span<const runtime::KernelBinary> binaries) {
  auto loaded = std::make_unique<DeviceKernels>();
  std::map<std::string_view, std::size_t> by_code;
  for (const runtime::KernelBinary& binary : binaries) {
    ACCY_TRY(check_binary(binary));
    const std::string_view code(reinterpret_cast<const char*>(binary.code.data()),
                                binary.code.size());
    const auto [found, inserted] = by_code.emplace(code, loaded->modules_.size());
    if (inserted) {
      ACCY_TRY_ASSIGN(Module module, Module::load(session, binary));
      loaded->modules_.push_back(std::move(module));
    }
    Kernel kernel;
    kernel.name = binary.name;
    kernel.workgroup = binary.workgroup;
    kernel.argument_block_bytes = binary.argument_block_bytes;
    ACCY_CUDA_TRY(session, module_get_function, &kernel.function,
                  loaded->modules_[found->second].handle(), binary.entry.c_str());
    loaded->kernels_.push_back(std::move(kernel));
  }
  return loaded;
}

}  // namespace accy::cuda
