#include "targets/cuda/device/device.hpp"

#include <algorithm>

#include "targets/cuda/device/enumerate.hpp"
#include "targets/cuda/device/objects.hpp"
#include "targets/cuda/device/plan.hpp"

namespace accy::cuda {

namespace {

driver::Address address_of(const runtime::BufferRange& range) {
  const auto& buffer = static_cast<const DeviceBuffer&>(*range.buffer);
  return buffer.address() + static_cast<driver::Address>(range.offset_bytes);
}

class CudaDevice final : public runtime::Device {
 public:
  CudaDevice(const driver::Api& api, runtime::DeviceInfo info, SessionOptions options)
      : info_(std::move(info)), session_(api, info_.name, options) {}

  Status open(driver::Ordinal ordinal) { return session_.open(ordinal); }

  const runtime::DeviceInfo& info() const override { return info_; }

  Result<std::unique_ptr<runtime::Buffer>> allocate(std::int64_t size_bytes) override {
    const CurrentContext current(session_);
    ACCY_TRY(current.status());
    driver::Address address = 0;
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    Status status = session_.check(session_.api().memory_allocate(&address, size),
                                   driver::symbols::memory_allocate);
    if (!status)
      return fail(std::move(status.error())
                      .with("allocating " + std::to_string(size) + " bytes on " + info_.name));
    return std::make_unique<DeviceBuffer>(session_, address, size_bytes);
  }

  Status write(runtime::BufferRange destination, std::span<const std::byte> source) override {
    const CurrentContext current(session_);
    ACCY_TRY(current.status());
    if (source.empty()) return {};
    ACCY_CUDA_TRY(session_, copy_to_device, address_of(destination), source.data(), source.size());
    return {};
  }

  Status read(runtime::BufferRange source, std::span<std::byte> destination) override {
    const CurrentContext current(session_);
    ACCY_TRY(current.status());
    if (destination.empty()) return {};
    ACCY_CUDA_TRY(session_, copy_to_host, destination.data(), address_of(source),
                  destination.size());
    return {};
  }

  Result<std::unique_ptr<runtime::LoadedKernels>>
  load(std::span<const runtime::KernelBinary> kernels) override {
    const CurrentContext current(session_);
    ACCY_TRY(current.status());
    return DeviceKernels::load(session_, kernels);
  }

  Result<std::unique_ptr<runtime::Plan>>
  record(runtime::LoadedKernels& kernels, const runtime::PlanDescription& description) override {
    const CurrentContext current(session_);
    ACCY_TRY(current.status());
    return DevicePlan::record(session_, static_cast<const DeviceKernels&>(kernels), description);
  }

  Result<runtime::RunTiming> run(runtime::Plan& plan,
                                 std::span<const runtime::BufferRange> slots) override {
    const CurrentContext current(session_);
    ACCY_TRY(current.status());
    return static_cast<DevicePlan&>(plan).run(slots);
  }

 private:
  runtime::DeviceInfo info_;
  Session session_;
};

}  // namespace

Result<std::unique_ptr<runtime::Device>> open_device(const driver::Api& api, std::string_view name,
                                                     SessionOptions options) {
  ACCY_TRY_ASSIGN(const driver::Ordinal ordinal, ordinal_of(name));
  ACCY_TRY(initialize(api));
  ACCY_TRY_ASSIGN(runtime::DeviceInfo info, describe_device(api, ordinal));
  auto device = std::make_unique<CudaDevice>(api, std::move(info), options);
  ACCY_TRY(device->open(ordinal));
  return device;
}

}  // namespace accy::cuda
