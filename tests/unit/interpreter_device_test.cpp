// The interpreter target end to end: emit, validate, load, record, run; and its errors.
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choir/text.hpp"
#include "dialect/kernel/kernel_builder.hpp"
#include "targets/interpreter/device/adapter.hpp"
#include "targets/interpreter/device/buffer.hpp"
#include "targets/interpreter/emit/backend.hpp"

namespace accy::interpreter {
namespace {

using ::testing::HasSubstr;

const choir::Registry& registry() {
  static const choir::Registry instance = [] {
    choir::Registry made;
    kernel::register_kernel_dialect(made);
    return made;
  }();
  return instance;
}

/// out[i] = factor * in[i] for i < n, 32 invocations a workgroup.
choir::Module scale_module() {
  choir::Module module(registry(), "kernel");
  kernel::KernelBuilder k(module.body(), {.name = "scale", .workgroup = {32, 1, 1}});
  auto* in = k.add_buffer(ElementType::f32, kernel::Access::read, "in");
  auto* factor = k.add_scalar(ElementType::f32, "factor");
  auto* out = k.add_buffer(ElementType::f32, kernel::Access::write, "out");
  auto* n = k.add_scalar(ElementType::i32, "n");
  auto* i = k.add(k.mul(k.workgroup_id(0), 32), k.local_id(0));
  k.if_then(k.less(i, n), [&] { k.store(k.mul(k.load(in, i), factor), out, i); });
  k.finish();
  return module;
}

target::KernelCode scale_code() {
  choir::Module module = scale_module();
  const TargetProfile& profile = backend().profiles().front();
  choir::Operation& function = *module.lookup("scale");
  EXPECT_TRUE(backend().legalize(function, profile).has_value());
  auto code = backend().emit(function, profile);
  EXPECT_TRUE(code.has_value());
  EXPECT_TRUE(backend().validate(*code, profile).has_value());
  return std::move(*code);
}

runtime::KernelBinary binary_of(const target::KernelCode& code) {
  // in at 0, factor at 8, out at 16, n at 24.
  return {"scale", code.entry, code.format, code.bytes, {32, 1, 1}, 0, 28};
}

template <class T>
runtime::ScalarArgument scalar(T value, std::int64_t offset) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {{bytes.begin(), bytes.end()}, offset};
}

runtime::LaunchStep scale_launch(std::int64_t count, std::int64_t out_bytes) {
  runtime::LaunchStep launch;
  launch.grid = {(count + 31) / 32, 1, 1};
  launch.buffers = {{{0, 0, count * 4}, runtime::Access::read, 0},
                    {{1, 0, out_bytes}, runtime::Access::write, 16}};
  launch.scalars = {scalar(2.5F, 8), scalar(static_cast<std::int32_t>(count), 24)};
  launch.label = "scale#0";
  return launch;
}

std::unique_ptr<runtime::Device> open_device() {
  auto device = adapter().open("interpreter");
  EXPECT_TRUE(device.has_value());
  return std::move(*device);
}

TEST(InterpreterDevice, IsAlwaysThere) {
  const runtime::DeviceList list = adapter().enumerate();
  ASSERT_EQ(list.devices.size(), 1U);
  EXPECT_TRUE(list.unavailable.empty());
  EXPECT_EQ(list.devices[0].name, "interpreter");
  EXPECT_EQ(list.devices[0].kind, runtime::DeviceKind::interpreter);
  EXPECT_EQ(list.devices[0].profile.id(), "interpreter:generic");
  EXPECT_EQ(list.devices[0].profile, backend().profiles().front());
  const auto other = adapter().open("interpreter:7");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::not_found);
}

TEST(InterpreterDevice, EmitsTextThatReadsBack) {
  const target::KernelCode code = scale_code();
  EXPECT_EQ(code.format, "choir-kernel");
  EXPECT_EQ(code.entry, "scale");
  const std::string text(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
  EXPECT_THAT(text, HasSubstr("kernel.func @scale"));
  EXPECT_EQ(scale_code().bytes, code.bytes);
  target::KernelCode broken = code;
  broken.bytes.resize(code.bytes.size() / 2);
  EXPECT_FALSE(backend().validate(broken, backend().profiles().front()).has_value());
  broken = code;
  broken.entry = "other";
  EXPECT_EQ(backend().validate(broken, backend().profiles().front()).error().message,
            "code has no function @other");
}

TEST(InterpreterDevice, RunsAPlanWithTheSlotsOfEachRun) {
  const auto device = open_device();
  const target::KernelCode code = scale_code();
  auto kernels = device->load(std::array{binary_of(code)});
  ASSERT_TRUE(kernels.has_value()) << kernels.error().to_string();
  constexpr std::int64_t count = 100;
  runtime::PlanDescription description;
  description.slot_count = 3;
  description.steps = {scale_launch(count, count * 4), runtime::BarrierStep{},
                       runtime::CopyStep{{1, 0, count * 4}, {2, 16, count * 4}}};
  auto plan = device->record(**kernels, description);
  ASSERT_TRUE(plan.has_value()) << plan.error().to_string();
  for (const float start : {1.0F, -7.0F}) {
    std::vector<float> values(count);
    for (std::int64_t i = 0; i < count; ++i) values[i] = start + static_cast<float>(i);
    auto in = device->allocate(count * 4);
    auto out = device->allocate(count * 4);
    auto copy = device->allocate(count * 4 + 16);
    ASSERT_TRUE(in && out && copy);
    ASSERT_TRUE(device->write({in->get(), 0, count * 4}, std::as_bytes(std::span(values))));
    const std::array<runtime::BufferRange, 3> slots{
        {{in->get(), 0, count * 4}, {out->get(), 0, count * 4}, {copy->get(), 0, count * 4 + 16}}};
    const auto timing = device->run(**plan, slots);
    ASSERT_TRUE(timing.has_value()) << timing.error().to_string();
    EXPECT_EQ(timing->launch_ns.size(), 1U);
    std::vector<float> result(count);
    ASSERT_TRUE(
        device->read({copy->get(), 16, count * 4}, std::as_writable_bytes(std::span(result))));
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(result[i], 2.5F * values[i]);
  }
}

TEST(InterpreterDevice, BuffersKeepTheProfilesAlignment) {
  const auto device = open_device();
  for (const std::int64_t size : {1, 100, 4096}) {
    auto buffer = device->allocate(size);
    ASSERT_TRUE(buffer.has_value());
    EXPECT_EQ((*buffer)->size_bytes(), size);
    const auto address =
        reinterpret_cast<std::uintptr_t>(static_cast<HostBuffer&>(**buffer).data());
    EXPECT_EQ(address % 256, 0U);
  }
  EXPECT_EQ(device->allocate(0).error().message, "a buffer has at least 1 byte (got 0)");
  const auto huge = device->allocate(std::int64_t{1} << 50);
  ASSERT_FALSE(huge.has_value());
  EXPECT_EQ(huge.error().code, ErrorCode::out_of_memory);
  EXPECT_THAT(huge.error().message, HasSubstr("limit 17179869184"));
  auto buffer = device->allocate(8);
  std::array<std::byte, 8> bytes{};
  const Status outside = device->read({buffer->get(), 4, 8}, bytes);
  ASSERT_FALSE(outside.has_value());
  EXPECT_THAT(outside.error().message,
              HasSubstr("range of 8 bytes at 4 leaves its buffer (size 8)"));
  EXPECT_EQ(device->read({nullptr, 0, 8}, bytes).error().message, "range of no buffer");
  EXPECT_EQ(device->read({buffer->get(), 0, 4}, bytes).error().message,
            "copy of 8 bytes to or from a range of 4");
}

TEST(InterpreterDevice, RefusesKernelsThatDoNotFitTheirDescription) {
  const auto device = open_device();
  const target::KernelCode code = scale_code();
  const auto message = [&](auto change) {
    runtime::KernelBinary binary = binary_of(code);
    change(binary);
    const auto kernels = device->load(std::array{binary});
    return kernels.has_value() ? std::string() : kernels.error().to_string();
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_THAT(message([](auto& b) { b.format = "ptx"; }), HasSubstr("format 'ptx'"));
  EXPECT_THAT(message([](auto& b) { b.entry = "other"; }), HasSubstr("has no function @other"));
  EXPECT_THAT(message([](auto& b) { b.workgroup = {64, 1, 1}; }), HasSubstr("another workgroup"));
  EXPECT_THAT(message([](auto& b) { b.argument_block_bytes = 24; }),
              HasSubstr("argument block of 28 bytes (got 24)"));
  EXPECT_THAT(message([](auto& b) { b.code = b.code.first(60); }), HasSubstr("@scale:"));
}

TEST(InterpreterDevice, RefusesPlansThatDoNotFitTheirKernels) {
  const auto device = open_device();
  const target::KernelCode code = scale_code();
  auto kernels = device->load(std::array{binary_of(code)});
  ASSERT_TRUE(kernels.has_value());
  const auto message = [&](auto change) {
    runtime::LaunchStep launch = scale_launch(8, 32);
    change(launch);
    const auto plan = device->record(**kernels, {2, {launch}});
    return plan.has_value() ? std::string() : plan.error().to_string();
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_THAT(message([](auto& l) { l.kernel = 1; }), HasSubstr("kernel 1 does not exist"));
  EXPECT_THAT(message([](auto& l) { l.buffers.pop_back(); }),
              HasSubstr("no buffer of 8 bytes at block offset 16 for parameter 2"));
  EXPECT_THAT(message([](auto& l) { l.scalars[1].bytes.resize(2); }),
              HasSubstr("no scalar of 4 bytes at block offset 24"));
  EXPECT_THAT(message([](auto& l) { l.buffers[1].range.slot = 2; }), HasSubstr("slot 2"));
}

TEST(InterpreterDevice, RefusesSlotsThatThePlanDoesNotFit) {
  const auto device = open_device();
  auto kernels = device->load({});
  auto buffer = device->allocate(16);
  ASSERT_TRUE(kernels && buffer);
  const auto plan = device->record(**kernels, {2, {runtime::CopyStep{{0, 0, 8}, {1, 0, 4}}}});
  ASSERT_TRUE(plan);
  const runtime::BufferRange whole{buffer->get(), 0, 16};
  EXPECT_EQ(device->run(**plan, std::array{whole, whole}).error().message,
            "copy between ranges of 8 and 4 bytes");
  EXPECT_EQ(device->run(**plan, std::array{whole}).error().message, "plan has 2 slots (got 1)");
}

TEST(InterpreterDevice, ReportsWhatAKernelDoesWrong) {
  const auto device = open_device();
  const target::KernelCode code = scale_code();
  auto kernels = device->load(std::array{binary_of(code)});
  auto plan = device->record(**kernels, {2, {scale_launch(8, 28)}});
  auto buffer = device->allocate(32);
  ASSERT_TRUE(plan && buffer);
  std::vector<float> values(8, 1);
  ASSERT_TRUE(device->write({buffer->get(), 0, 32}, std::as_bytes(std::span(values))));
  auto out = device->allocate(32);
  const auto timing = device->run(
      **plan, std::array<runtime::BufferRange, 2>{{{buffer->get(), 0, 32}, {out->get(), 0, 32}}});
  ASSERT_FALSE(timing.has_value());
  EXPECT_THAT(timing.error().message, HasSubstr("out of bounds of buffer %out (index 7, size 7"));
  EXPECT_EQ(timing.error().op, "kernel.store");
  EXPECT_EQ(timing.error().where.file, "@scale");
  EXPECT_THAT(timing.error().to_string(), HasSubstr("launch scale#0"));
}

}  // namespace
}  // namespace accy::interpreter
