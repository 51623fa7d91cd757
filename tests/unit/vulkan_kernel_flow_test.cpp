// Memory, control flow and subgroups of kernel programs on a Vulkan device.
#include <numeric>

#include "support/vulkan_kernel_fixture.hpp"

namespace accy::vulkan {
namespace {

class VulkanFlowTest : public VulkanKernelTest {
 protected:
  template <class T>
  static std::vector<T> counted(std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t index = 0; index < count; ++index) values[index] = static_cast<T>(index + 1);
    return values;
  }

  static Bytes scalar(std::int32_t value) { return to_bytes(std::vector{value}); }
};

TEST_F(VulkanFlowTest, SharedMemoryIsOrderedByBarriers) {
  // Each workgroup reverses its 64 elements through shared memory.
  const KernelText text{"%in: buffer<f32, read, address>, %out: buffer<f32, write, address>",
                        R"(  %m = kernel.shared : shared<f32, 64>
  %l = kernel.local_id {axis = 0} : i32
  %g = kernel.workgroup_id {axis = 0} : i32
  %c64 = kernel.constant {value = 64} : i32
  %c63 = kernel.constant {value = 63} : i32
  %base = kernel.mul %g, %c64 : i32
  %i = kernel.add %base, %l : i32
  %x = kernel.load %in, %i : f32
  kernel.store %x, %m, %l
  kernel.barrier
  %mirror = kernel.sub %c63, %l : i32
  %y = kernel.load %m, %mirror : f32
  kernel.store %y, %out, %i
)"};
  const auto in = counted<float>(640);
  const auto results = run_kernel(text, {{10, 1, 1}, {to_bytes(in), Bytes(2560)}, {}});
  ASSERT_EQ(results.size(), 2U);
  const auto out = from_bytes<float>(results[1]);
  for (std::size_t index = 0; index < 640; ++index)
    EXPECT_EQ(out[index], in[index / 64 * 64 + 63 - index % 64]);
}

TEST_F(VulkanFlowTest, DeviceMemoryIsOrderedByBarriersInAWorkgroup) {
  const KernelText text{"%data: buffer<i32, read_write, address>",
                        R"(  %l = kernel.local_id {axis = 0} : i32
  %c63 = kernel.constant {value = 63} : i32
  %mirror = kernel.sub %c63, %l : i32
  %square = kernel.mul %l, %l : i32
  kernel.store %square, %data, %l
  kernel.barrier
  %other = kernel.load %data, %mirror : i32
  kernel.barrier
  kernel.store %other, %data, %l
)"};
  const auto results = run_kernel(text, {{1, 1, 1}, {Bytes(256)}, {}});
  ASSERT_EQ(results.size(), 1U);
  const auto out = from_bytes<std::int32_t>(results[0]);
  for (int index = 0; index < 64; ++index)
    EXPECT_EQ(out[static_cast<std::size_t>(index)], (63 - index) * (63 - index));
}

TEST_F(VulkanFlowTest, LoopsCarryValuesAndConditionsChoose) {
  // Collatz steps of local id + 1, at most 200; and the largest number on the way.
  const KernelText text{"%steps: buffer<i32, write, address>, %peak: buffer<i32, write, address>, "
                        "%limit: i32",
                        R"(  %l = kernel.local_id {axis = 0} : i32
  %c0 = kernel.constant {value = 0} : i32
  %c1 = kernel.constant {value = 1} : i32
  %c2 = kernel.constant {value = 2} : i32
  %c3 = kernel.constant {value = 3} : i32
  %start = kernel.add %l, %c1 : i32
  %n, %count, %top = kernel.for %c0, %limit, %c1, %start, %c0, %start {maximum_trips = 200} : i32, i32, i32 (%k: i32, %a: i32, %b: i32, %t: i32) {
    %done = kernel.compare %a, %c1 {predicate = eq} : bool
    %next, %more = kernel.if %done : i32, i32 () {
      kernel.yield %a, %b
    } () {
      %low = kernel.and %a, %c1 : i32
      %odd = kernel.compare %low, %c1 {predicate = eq} : bool
      %step = kernel.if %odd : i32 () {
        %p = kernel.mul %a, %c3 : i32
        %q = kernel.add %p, %c1 : i32
        kernel.yield %q
      } () {
        %h = kernel.div %a, %c2 {index = true} : i32
        kernel.yield %h
      }
      %incremented = kernel.add %b, %c1 : i32
      kernel.yield %step, %incremented
    }
    %high = kernel.max %t, %next : i32
    kernel.yield %next, %more, %high
  }
  kernel.store %count, %steps, %l
  kernel.store %top, %peak, %l
)"};
  const auto results = run_kernel(text, {{1, 1, 1}, {Bytes(256), Bytes(256)}, {scalar(200)}});
  ASSERT_EQ(results.size(), 2U);
  const auto steps = from_bytes<std::int32_t>(results[0]);
  const auto peaks = from_bytes<std::int32_t>(results[1]);
  for (int lane = 0; lane < 64; ++lane) {
    int n = lane + 1;
    int count = 0;
    int peak = n;
    while (n != 1) {
      n = n % 2 == 1 ? 3 * n + 1 : n / 2;
      ++count;
      peak = std::max(peak, n);
    }
    EXPECT_EQ(steps[static_cast<std::size_t>(lane)], count) << lane;
    EXPECT_EQ(peaks[static_cast<std::size_t>(lane)], peak) << lane;
  }
}

TEST_F(VulkanFlowTest, NestedLoopsSumATriangle) {
  const KernelText text{"%out: buffer<i64, write, address>",
                        R"(  %l = kernel.local_id {axis = 0} : i32
  %c0 = kernel.constant {value = 0} : i32
  %c1 = kernel.constant {value = 1} : i32
  %zero = kernel.constant {value = 0} : i64
  %sum = kernel.for %c0, %l, %c1, %zero {maximum_trips = 64} : i64 (%i: i32, %outer: i64) {
    %part = kernel.for %c0, %i, %c1, %outer {maximum_trips = 64} : i64 (%j: i32, %inner: i64) {
      %wide = kernel.cast %j : i64
      %next = kernel.add %inner, %wide : i64
      kernel.yield %next
    }
    kernel.yield %part
  }
  kernel.store %sum, %out, %l
)"};
  const auto results = run_kernel(text, {{1, 1, 1}, {Bytes(512)}, {}});
  ASSERT_EQ(results.size(), 1U);
  const auto out = from_bytes<std::int64_t>(results[0]);
  for (std::int64_t lane = 0; lane < 64; ++lane) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < lane; ++i)
      for (std::int64_t j = 0; j < i; ++j) sum += j;
    EXPECT_EQ(out[static_cast<std::size_t>(lane)], sum);
  }
}

TEST_F(VulkanFlowTest, LoopsStepFromLowerToUpper) {
  // The sum of 2l, 2l + 7, 2l + 14, ... below 100; nothing where 2l is not below.
  const KernelText text{"%out: buffer<i32, write, address>",
                        R"(  %l = kernel.local_id {axis = 0} : i32
  %c0 = kernel.constant {value = 0} : i32
  %c2 = kernel.constant {value = 2} : i32
  %c7 = kernel.constant {value = 7} : i32
  %c100 = kernel.constant {value = 100} : i32
  %lower = kernel.mul %l, %c2 : i32
  %sum = kernel.for %lower, %c100, %c7, %c0 {maximum_trips = 15} : i32 (%i: i32, %a: i32) {
    %next = kernel.add %a, %i : i32
    kernel.yield %next
  }
  kernel.store %sum, %out, %l
)"};
  const auto results = run_kernel(text, {{1, 1, 1}, {Bytes(256)}, {}});
  ASSERT_EQ(results.size(), 1U);
  const auto out = from_bytes<std::int32_t>(results[0]);
  for (int lane = 0; lane < 64; ++lane) {
    int sum = 0;
    for (int i = 2 * lane; i < 100; i += 7) sum += i;
    EXPECT_EQ(out[static_cast<std::size_t>(lane)], sum) << lane;
  }
}

TEST_F(VulkanFlowTest, GridAndWorkgroupHaveThreeAxes) {
  const KernelText text{
      "%out: buffer<i32, write, address>",
      R"(  %x = kernel.local_id {axis = 0} : i32
  %y = kernel.local_id {axis = 1} : i32
  %z = kernel.local_id {axis = 2} : i32
  %gx = kernel.workgroup_id {axis = 0} : i32
  %gy = kernel.workgroup_id {axis = 1} : i32
  %gz = kernel.workgroup_id {axis = 2} : i32
  %c2 = kernel.constant {value = 2} : i32
  %c3 = kernel.constant {value = 3} : i32
  %c4 = kernel.constant {value = 4} : i32
  %c5 = kernel.constant {value = 5} : i32
  %c6 = kernel.constant {value = 6} : i32
  %a1 = kernel.mul %gz, %c6 : i32
  %a2 = kernel.add %a1, %gy : i32
  %a3 = kernel.mul %a2, %c5 : i32
  %a4 = kernel.add %a3, %gx : i32
  %a5 = kernel.mul %a4, %c2 : i32
  %a6 = kernel.add %a5, %z : i32
  %a7 = kernel.mul %a6, %c3 : i32
  %a8 = kernel.add %a7, %y : i32
  %a9 = kernel.mul %a8, %c4 : i32
  %i = kernel.add %a9, %x : i32
  kernel.store %i, %out, %i
)",
      false, 0, "[4, 3, 2]"};
  const std::size_t count = 4 * 3 * 2 * 5 * 6 * 2;
  const auto results = run_kernel(text, {{5, 6, 2}, {Bytes(count * 4, std::byte{0xff})}, {}});
  ASSERT_EQ(results.size(), 1U);
  std::vector<std::int32_t> wanted(count);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(from_bytes<std::int32_t>(results[0]), wanted);
}

template <class T>
void reverse_vectors(std::vector<T>& values, std::size_t width) {
  for (std::size_t first = 0; first < values.size(); first += width)
    std::reverse(values.begin() + static_cast<std::ptrdiff_t>(first),
                 values.begin() + static_cast<std::ptrdiff_t>(first + width));
}

template <class T>
class VulkanVectorTest : public VulkanFlowTest {};

using Elements =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(VulkanVectorTest, Elements);

TYPED_TEST(VulkanVectorTest, MovesWholeVectors) {
  using T = TypeParam;
  const std::size_t widest = sizeof(T) == 8 ? 2 : sizeof(T) == 4 ? 4 : 8;
  for (std::size_t width = 2; width <= widest; width *= 2)
    for (const bool shared : {false, true}) {
      const std::string type = type_name<T>();
      const std::string vector = "vector<" + type + ", " + std::to_string(width) + ">";
      KernelText text;
      text.parameters = "%in: buffer<" + type + ", read, address>, %out: buffer<" + type +
                        ", write, address>";
      text.body = "  %m = kernel.shared : shared<" + type + ", " + std::to_string(64 * width) +
                  ">\n  %l = kernel.local_id {axis = 0} : i32\n"
                  "  %wide = kernel.cast %l : i64\n"
                  "  %width = kernel.constant {value = " + std::to_string(width) + "} : i64\n"
                  "  %i = kernel.mul %wide, %width : i64\n"
                  "  %loaded = kernel.load %in, %i : " + vector + "\n";
      if (shared)
        text.body += "  kernel.store %loaded, %m, %i\n  kernel.barrier\n"
                     "  %v = kernel.load %m, %i : " + vector + "\n";
      std::string reversed;
      for (std::size_t lane = 0; lane < width; ++lane) {
        text.body += "  %e" + std::to_string(lane) + " = kernel.extract %" +
                     (shared ? "v" : "loaded") + " {index = " + std::to_string(lane) + "} : " +
                     type + "\n";
        reversed = "%e" + std::to_string(lane) + (lane == 0 ? "" : ", ") + reversed;
      }
      text.body += "  %r = kernel.compose " + reversed + " : " + vector +
                   "\n  kernel.store %r, %out, %i\n";
      auto in = this->template counted<T>(64 * width);
      const auto results = this->run_kernel(
          text,
          {{1, 1, 1}, {this->to_bytes(in), std::vector<std::byte>(in.size() * sizeof(T))}, {}});
      ASSERT_EQ(results.size(), 2U);
      reverse_vectors(in, width);
      EXPECT_EQ(this->template from_bytes<T>(results[1]), in) << vector << shared;
    }
}

TEST_F(VulkanFlowTest, BoolsAreBytes) {
  const std::vector<Bool> x{{0}, {1}, {0}, {1}};
  const std::vector<Bool> y{{0}, {0}, {1}, {1}};
  const auto bits = [&](const std::string& line) {
    std::string text;
    for (const Bool value : apply<Bool>("kernel." + line, false, x, y))
      text += std::to_string(value.byte);
    return text;
  };
  EXPECT_EQ(bits("and %x, %y"), "0001");
  EXPECT_EQ(bits("or %x, %y"), "0111");
  EXPECT_EQ(bits("xor %x, %y"), "0110");
  EXPECT_EQ(bits("not %x"), "1010");
  EXPECT_EQ(bits("compare %x, %y {predicate = eq}"), "1001");
  EXPECT_EQ(bits("compare %x, %y {predicate = ne}"), "0110");
  EXPECT_EQ(bits("select %x, %y, %x"), "0001");
}

TEST_F(VulkanFlowTest, SelectsAndReinterpretsBits) {
  const std::vector<Bool> c{{0}, {1}, {1}};
  const std::vector<double> a{1.5, -2.5, 1e300};
  const std::vector<double> b{7, 8, 9};
  EXPECT_EQ(apply<double>("kernel.select %x, %y, %z", false, c, a, b),
            (std::vector<double>{7, -2.5, 1e300}));
  for (const bool exact : {false, true}) {
    const std::vector<float> special = special_floats<float>();
    const auto words = apply<std::uint32_t>("kernel.bitcast %x", exact, special);
    ASSERT_EQ(words.size(), special.size());
    for (std::size_t index = 0; index < words.size(); ++index)
      EXPECT_EQ(words[index], std::bit_cast<std::uint32_t>(special[index]));
    const auto floats = apply<float>("kernel.bitcast %x", exact, words);
    ASSERT_EQ(floats.size(), special.size());
    EXPECT_EQ(std::memcmp(floats.data(), special.data(), floats.size() * 4), 0);
    const auto wide = apply<std::int64_t>("kernel.bitcast %x", exact, a);
    ASSERT_EQ(wide.size(), a.size());
    for (std::size_t index = 0; index < wide.size(); ++index)
      EXPECT_EQ(wide[index], std::bit_cast<std::int64_t>(a[index]));
  }
}

TEST_F(VulkanFlowTest, ScalarParametersArriveAtTheirOffsets) {
  const KernelText text{
      "%a: u8, %out: buffer<f64, write, address>, %b: i16, %c: bool, %d: f64, %e: i64, %f: f32",
      R"(  %l = kernel.local_id {axis = 0} : i32
  %a1 = kernel.cast %a : f64
  %b1 = kernel.cast %b : f64
  %c1 = kernel.cast %c : f64
  %e1 = kernel.cast %e : f64
  %f1 = kernel.cast %f : f64
  %i0 = kernel.constant {value = 0} : i32
  %i1 = kernel.constant {value = 1} : i32
  %i2 = kernel.constant {value = 2} : i32
  %i3 = kernel.constant {value = 3} : i32
  %i4 = kernel.constant {value = 4} : i32
  %i5 = kernel.constant {value = 5} : i32
  kernel.store %a1, %out, %i0
  kernel.store %b1, %out, %i1
  kernel.store %c1, %out, %i2
  kernel.store %d, %out, %i3
  kernel.store %e1, %out, %i4
  kernel.store %f1, %out, %i5
)",
      false, 0, "[1, 1, 1]"};
  const auto results = run_kernel(
      text, {{1, 1, 1},
             {Bytes(48)},
             {to_bytes(std::vector<std::uint8_t>{200}), to_bytes(std::vector<std::int16_t>{-300}),
              scalar(1), to_bytes(std::vector<double>{0.1}),
              to_bytes(std::vector<std::int64_t>{-5000000000}),
              to_bytes(std::vector<float>{2.5F})}});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(from_bytes<double>(results[0]),
            (std::vector<double>{200, -300, 1, 0.1, -5000000000.0, 2.5}));
}

TEST_F(VulkanFlowTest, SubgroupsExchangeAndReduce) {
  const auto size = profile().subgroup_size_maximum;
  if (!profile().subgroup_size_control || !profile().subgroup_shuffle)
    GTEST_SKIP() << "the device has no subgroup of a fixed size with shuffles";
  KernelText text;
  text.subgroup = static_cast<int>(size);
  text.parameters = "%lanes: buffer<i32, write, address>, %xor: buffer<i32, write, address>, "
                    "%sum: buffer<f32, write, address>, %low: buffer<f32, write, address>, "
                    "%high: buffer<i32, write, address>";
  text.body = R"(  %l = kernel.local_id {axis = 0} : i32
  %lane = kernel.lane : i32
  %value = kernel.mul %l, %l : i32
  %swapped = kernel.shuffle_xor %value {mask = 1} : i32
  %x = kernel.cast %value : f32
  %s = kernel.subgroup_reduce %x {function = add} : f32
  %m = kernel.subgroup_reduce %x {function = min} : f32
  %h = kernel.subgroup_reduce %value {function = max} : i32
  kernel.store %lane, %lanes, %l
  kernel.store %swapped, %xor, %l
  kernel.store %s, %sum, %l
  kernel.store %m, %low, %l
  kernel.store %h, %high, %l
)";
  const auto results = run_kernel(text, {{1, 1, 1}, std::vector<Bytes>(5, Bytes(256)), {}});
  ASSERT_EQ(results.size(), 5U);
  const auto lanes = from_bytes<std::int32_t>(results[0]);
  for (std::size_t l = 0; l < 64; ++l) {
    const auto width = static_cast<std::size_t>(size);
    const std::size_t first = l / width * width;
    EXPECT_EQ(lanes[l], static_cast<std::int32_t>(l % width));
    const auto partner = static_cast<std::int32_t>(l ^ 1U);
    EXPECT_EQ(from_bytes<std::int32_t>(results[1])[l], partner * partner);
    float sum = 0;
    for (std::size_t other = first; other < first + width; ++other)
      sum += static_cast<float>(other * other);
    EXPECT_EQ(from_bytes<float>(results[2])[l], sum);
    EXPECT_EQ(from_bytes<float>(results[3])[l], static_cast<float>(first * first));
    const std::size_t last = first + width - 1;
    EXPECT_EQ(from_bytes<std::int32_t>(results[4])[l], static_cast<std::int32_t>(last * last));
  }
}

}  // namespace
}  // namespace accy::vulkan
