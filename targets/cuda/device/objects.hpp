// Owners of driver objects: memory, modules and events. Each needs its session to outlive it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/adapter.hpp"
#include "targets/cuda/device/session.hpp"

namespace accy::cuda {

/// Device memory.
class DeviceBuffer final : public runtime::Buffer {
 public:
  DeviceBuffer(Session& session, driver::Address address, std::int64_t size_bytes)
      : session_(session), address_(address), size_bytes_(size_bytes) {}
  ~DeviceBuffer() override;
  std::int64_t size_bytes() const override { return size_bytes_; }
  driver::Address address() const { return address_; }

 private:
  Session& session_;
  driver::Address address_;
  std::int64_t size_bytes_;
};

/// A loaded module.
class Module {
 public:
  /// Loads PTX; the driver's log is in the error.
  static Result<Module> load(Session& session, const runtime::KernelBinary& binary);
  Module(Module&& other) noexcept
      : session_(other.session_), handle_(std::exchange(other.handle_, nullptr)) {}
  Module& operator=(Module&&) = delete;
  ~Module();
  driver::ModuleHandle handle() const { return handle_; }

 private:
  Module(Session& session, driver::ModuleHandle handle) : session_(session), handle_(handle) {}
  Session& session_;
  driver::ModuleHandle handle_;
};

/// An event that takes the time.
class Event {
 public:
  static Result<Event> create(Session& session);
  Event(Event&& other) noexcept
      : session_(other.session_), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();
  driver::EventHandle handle() const { return handle_; }

 private:
  Event(Session& session, driver::EventHandle handle) : session_(session), handle_(handle) {}
  Session& session_;
  driver::EventHandle handle_;
};

/// A kernel ready to launch; its module lives beside it.
struct Kernel {
  std::string name;
  driver::FunctionHandle function = nullptr;
  std::array<std::int64_t, 3> workgroup{1, 1, 1};
  std::int64_t argument_block_bytes = 0;
};

/// The kernels of one executable; equal code is loaded once.
class DeviceKernels final : public runtime::LoadedKernels {
 public:
  static Result<std::unique_ptr<DeviceKernels>>
  load(Session& session, std::span<const runtime::KernelBinary> binaries);
  const Kernel& kernel(std::size_t index) const { return kernels_[index]; }
  std::size_t size() const { return kernels_.size(); }

 private:
  std::vector<Module> modules_;
  std::vector<Kernel> kernels_;
};

}  // namespace accy::cuda
