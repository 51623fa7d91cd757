// Runs kernel programs on the first Vulkan device and gives back what they stored.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <type_traits>

#include "accy/element_type.hpp"
#include "support/kernel_text.hpp"
#include "support/vulkan_device_fixture.hpp"
#include "targets/vulkan/emit/backend.hpp"

namespace accy::vulkan {

/// Raw 16-bit floats and bools as stored, told apart from the integers of their size.
struct Half {
  std::uint16_t bits = 0;
};
struct Bfloat16 {
  std::uint16_t bits = 0;
};
struct Bool {
  std::uint8_t byte = 0;
};

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, Bool>) return "bool";
  if constexpr (std::is_same_v<T, Half>) return "f16";
  if constexpr (std::is_same_v<T, Bfloat16>) return "bf16";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  return (std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T) * 8);
}

class VulkanKernelTest : public VulkanDeviceTest {
 protected:
  using Bytes = std::vector<std::byte>;

  struct Launch {
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::vector<Bytes> buffers;                ///< in the order of the buffer parameters
    std::vector<Bytes> scalars;                ///< in the order of the scalar parameters
  };

  /// The device's own profile, or the one that compile_for() put in its place.
  const TargetProfile& profile() const {
    return replacement_ ? *replacement_ : device_->info().profile;
  }
  void compile_for(TargetProfile profile) { replacement_ = std::move(profile); }

  /// Compiles and runs once; the buffers come back as the kernel left them. A failure fails the
  /// test and gives nothing.
  std::vector<Bytes> run_kernel(const KernelText& text, const Launch& launch) {
    auto module = parse_kernel(text);
    if (!module) return failed(text, module.error());
    choir::Operation& function = *module->body().front();
    const auto layout = kernel::argument_layout(function);
    if (!layout) return failed(text, layout.error());
    if (const Status status = backend().legalize(function, profile()); !status)
      return failed(text, status.error());
    const auto code = backend().emit(function, profile());
    if (!code) return failed(text, code.error());
    if (const Status status = backend().validate(*code, profile()); !status)
      return failed(text, status.error());
    return launch_code(text, function, *layout, *code, launch);
  }

  /// result[i] = line applied to the inputs' elements i, named %x, %y, %z.
  template <class Out, class... In>
  std::vector<Out> apply(const std::string& line, bool exact, const std::vector<In>&... inputs) {
    const std::size_t count = std::get<0>(std::tie(inputs...)).size();
    KernelText text;
    text.exact = exact;
    std::string loads;
    Launch launch;
    text.workgroup = "[256, 1, 1]";
    launch.grid = {static_cast<std::int64_t>((count + 255) / 256), 1, 1};
    (add_input<In>(text, loads, launch, inputs), ...);
    text.parameters += "%out: buffer<" + type_name<Out>() + ", write, address>, %n: i32";
    text.body = R"(  %g = kernel.workgroup_id {axis = 0} : i32
  %l = kernel.local_id {axis = 0} : i32
  %size = kernel.constant {value = 256} : i32
  %b = kernel.mul %g, %size : i32
  %i = kernel.add %b, %l : i32
  %inside = kernel.compare %i, %n {predicate = lt} : bool
  kernel.if %inside () {
)" + loads + "    %r = " + line + " : " + type_name<Out>() + R"(
    kernel.store %r, %out, %i
    kernel.yield
  } () {
    kernel.yield
  }
)";
    launch.buffers.push_back(Bytes(count * sizeof(Out)));
    launch.scalars.push_back(to_bytes(std::vector{static_cast<std::int32_t>(count)}));
    const std::vector<Bytes> results = run_kernel(text, launch);
    if (results.empty()) return {};
    return from_bytes<Out>(results.back());
  }

  template <class T>
  static Bytes to_bytes(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

  template <class T>
  static std::vector<T> from_bytes(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

 private:
  static std::vector<Bytes> failed(const KernelText& text, const Error& error) {
    ADD_FAILURE() << error.to_string() << "\n" << to_text(text);
    return {};
  }

  template <class In>
  static void add_input(KernelText& text, std::string& loads, Launch& launch,
                        const std::vector<In>& values) {
    const std::string name(1, static_cast<char>('x' + launch.buffers.size()));
    text.parameters += "%" + name + "s: buffer<" + type_name<In>() + ", read, address>, ";
    loads += "    %" + name + " = kernel.load %" + name + "s, %i : " + type_name<In>() + "\n";
    launch.buffers.push_back(to_bytes(values));
  }

  std::vector<Bytes> launch_code(const KernelText& text, const choir::Operation& function,
                                 const kernel::ArgumentLayout& layout,
                                 const target::KernelCode& code, const Launch& launch) {
    runtime::KernelBinary binary;
    binary.name = "test";
    binary.entry = code.entry;
    binary.format = code.format;
    binary.code = code.bytes;
    binary.workgroup = kernel::workgroup_size(function);
    binary.subgroup = kernel::subgroup_size(function);
    binary.argument_block_bytes = (layout.size_bytes + 7) / 8 * 8;
    auto kernels = device_->load(std::span(&binary, 1));
    if (!kernels) return failed(text, kernels.error());

    runtime::LaunchStep step;
    step.grid = launch.grid;
    std::vector<std::unique_ptr<runtime::Buffer>> buffers;
    std::vector<runtime::BufferRange> slots;
    std::size_t next_scalar = 0;
    for (const kernel::ArgumentSlot& slot : layout.slots) {
      if (!slot.is_buffer) {
        step.scalars.push_back({launch.scalars.at(next_scalar++), slot.offset_bytes});
        continue;
      }
      const Bytes& bytes = launch.buffers.at(buffers.size());
      buffers.push_back(allocate(static_cast<std::int64_t>(bytes.size())));
      EXPECT_TRUE(device_->write(whole(*buffers.back()), bytes));
      step.buffers.push_back({{slots.size(), 0, static_cast<std::int64_t>(bytes.size())},
                              static_cast<runtime::Access>(slot.access),
                              slot.offset_bytes});
      slots.push_back(whole(*buffers.back()));
    }
    auto plan = device_->record(**kernels, {slots.size(), {step}});
    if (!plan) return failed(text, plan.error());
    const auto timing = device_->run(**plan, slots);
    if (!timing) return failed(text, timing.error());
    std::vector<Bytes> results;
    for (const auto& buffer : buffers) {
      results.emplace_back(static_cast<std::size_t>(buffer->size_bytes()));
      EXPECT_TRUE(device_->read(whole(*buffer), results.back()));
    }
    return results;
  }

  std::optional<TargetProfile> replacement_;
};

// --- values ------------------------------------------------------------------------------------

template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  else return std::bit_cast<T>(bits);
}

/// Zeros, ones, subnormals, the borders of every integer type, infinities and NaN, of both signs.
template <class T>
std::vector<T> special_floats() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0),     T(1),    T(2),    T(0.5),  T(1.5),   T(2.5),    T(3),
                        T(0.9),   T(127),  T(128),  T(255),  T(256),   T(255.5),  T(32767),
                        T(32768), T(65535), T(65519), T(65520), T(65536), T(1e-7), T(6e-8),
                        T(3e-8),  T(1e-40), T(1e20), T(1e38), T(16777217), T(0.3333333333333),
                        std::ldexp(T(1), 31), std::ldexp(T(1), 32), std::ldexp(T(1), 63),
                        std::ldexp(T(1), 64), std::nextafter(std::ldexp(T(1), 31), T(0)),
                        std::nextafter(std::ldexp(T(1), 63), T(0)), Limits::denorm_min(),
                        Limits::min(), std::nextafter(Limits::min(), T(0)), Limits::max(),
                        Limits::infinity(), Limits::quiet_NaN()};
  const std::size_t positive = values.size();
  for (std::size_t index = 0; index < positive; ++index) values.push_back(-values[index]);
  return values;
}

template <class T>
std::vector<T> special_integers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), T(2), T(3), T(7), T(8), T(31), T(32), T(33), T(63), T(64),
                        T(100), T(-1), T(-2), T(-3), T(-7), T(-100), Limits::max(),
                        T(Limits::max() - 1), Limits::min(), T(Limits::min() + 1)};
  return values;
}

/// All pairs of the values, then random bits.
template <class T>
void make_pairs(const std::vector<T>& values, std::size_t random_count, std::vector<T>& a,
                std::vector<T>& b) {
  for (const T x : values)
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  std::mt19937_64 random(12345);
  for (std::size_t index = 0; index < random_count; ++index) {
    const std::uint64_t first = random();
    const std::uint64_t second = random();
    std::memcpy(&a.emplace_back(), &first, sizeof(T));
    std::memcpy(&b.emplace_back(), &second, sizeof(T));
  }
}

/// Equal bits, or both NaN.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
  else
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace accy::vulkan
