#include "targets/interpreter/device/device.hpp"

#include <cstring>

#include "choir/text.hpp"
#include "evaluate/kernel_interpreter.hpp"
#include "targets/interpreter/device/buffer.hpp"
#include "targets/interpreter/device/plan.hpp"
#include "targets/interpreter/profile/profiles.hpp"
#include "targets/interpreter/profile/registry.hpp"

namespace accy::interpreter {
namespace {

/// The binary's description of the kernel agrees with its code.
Status check_binary(const runtime::KernelBinary& binary, const evaluate::KernelProgram& program) {
  if (binary.workgroup != program.workgroup() || binary.subgroup != program.subgroup())
    return fail(ErrorCode::invalid_input,
                "kernel " + binary.name + " has another workgroup or subgroup than its code");
  if (binary.argument_block_bytes < program.layout().size_bytes)
    return fail(ErrorCode::invalid_input, "kernel " + binary.name + " needs an argument block of " +
                                              std::to_string(program.layout().size_bytes) +
                                              " bytes (got " +
                                              std::to_string(binary.argument_block_bytes) + ")");
  return {};
}

Result<evaluate::KernelProgram> load_kernel(const runtime::KernelBinary& binary) {
  if (binary.format != code_format)
    return fail(ErrorCode::invalid_input, "kernel " + binary.name + " has format '" +
                                              binary.format + "', expected " +
                                              std::string(code_format));
  const std::string_view text(reinterpret_cast<const char*>(binary.code.data()),
                              binary.code.size());
  ACCY_TRY_ASSIGN(const choir::Module module,
                  choir::parse_and_verify(text, "@" + binary.entry, kernel_registry()));
  const choir::Operation* function = module.lookup(binary.entry);
  if (function == nullptr || function->name() != kernel::op::func)
    return fail(ErrorCode::invalid_input,
                "kernel " + binary.name + " has no function @" + binary.entry);
  ACCY_TRY_ASSIGN(evaluate::KernelProgram program, evaluate::KernelProgram::decode(*function));
  ACCY_TRY(check_binary(binary, program));
  return program;
}

class InterpreterDevice final : public runtime::Device {
 public:
  explicit InterpreterDevice(runtime::DeviceInfo info) : info_(std::move(info)) {}

  const runtime::DeviceInfo& info() const override { return info_; }

  Result<std::unique_ptr<runtime::Buffer>> allocate(std::int64_t size_bytes) override {
    const std::int64_t limit = info_.profile.allocation_bytes_maximum;
    if (size_bytes > limit)
      return fail(ErrorCode::out_of_memory, "allocation exceeds the device's limit (" +
                                                std::to_string(size_bytes) + " bytes, limit " +
                                                std::to_string(limit) + ")");
    ACCY_TRY_ASSIGN(std::unique_ptr<HostBuffer> buffer,
                    HostBuffer::create(size_bytes, info_.profile.buffer_alignment));
    return buffer;
  }

  Status write(runtime::BufferRange destination, std::span<const std::byte> source) override {
    ACCY_TRY_ASSIGN(const std::span<std::byte> bytes, bytes_of(destination));
    if (bytes.size() != source.size()) return report_size(bytes.size(), source.size());
    if (!source.empty()) std::memcpy(bytes.data(), source.data(), source.size());
    return {};
  }

  Status read(runtime::BufferRange source, std::span<std::byte> destination) override {
    ACCY_TRY_ASSIGN(const std::span<std::byte> bytes, bytes_of(source));
    if (bytes.size() != destination.size()) return report_size(bytes.size(), destination.size());
    if (!bytes.empty()) std::memcpy(destination.data(), bytes.data(), bytes.size());
    return {};
  }

  Result<std::unique_ptr<runtime::LoadedKernels>>
  load(std::span<const runtime::KernelBinary> binaries) override {
    auto loaded = std::make_unique<InterpreterKernels>();
    for (const runtime::KernelBinary& binary : binaries) {
      auto program = load_kernel(binary);
      if (!program) return fail(std::move(program.error()).with("loading kernel " + binary.name));
      loaded->programs.push_back(std::move(*program));
    }
    return loaded;
  }

  Result<std::unique_ptr<runtime::Plan>>
  record(runtime::LoadedKernels& kernels, const runtime::PlanDescription& description) override {
    return record_plan(static_cast<InterpreterKernels&>(kernels), description);
  }

  Result<runtime::RunTiming> run(runtime::Plan& plan,
                                 std::span<const runtime::BufferRange> slots) override {
    return run_plan(plan, slots);
  }

 private:
  static Failure report_size(std::size_t range, std::size_t host) {
    return fail(ErrorCode::invalid_input, "copy of " + std::to_string(host) +
                                              " bytes to or from a range of " +
                                              std::to_string(range));
  }

  runtime::DeviceInfo info_;
};

}  // namespace

std::unique_ptr<runtime::Device> make_device(runtime::DeviceInfo info) {
  return std::make_unique<InterpreterDevice>(std::move(info));
}

}  // namespace accy::interpreter
