// The kernel interpreter: control flow, ids, what invocations exchange, and its speed.
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>

#include "dialect/kernel/kernel_builder.hpp"
#include "support/kernel_interpreter_fixture.hpp"

namespace accy::evaluate {
namespace {

TEST(KernelInterpreter, LoopsCarryValuesLaneByLane) {
  // Lane i: Fibonacci number after i + n steps; the two carried values swap roles.
  Ints data(8);
  const Status status =
      run_on(in_function("  %end = kernel.add %i, %n : i32\n"
                         "  %a, %b = kernel.for %zero, %end, %one, %zero, %one : i32, i32 "
                         "(%k: i32, %x: i32, %y: i32) {\n"
                         "    %sum = kernel.add %x, %y : i32\n    kernel.yield %y, %sum\n  }\n"
                         "  kernel.store %a, %data, %i\n"),
             data, 2);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{1, 2, 3, 5, 8, 13, 21, 34}));
}

TEST(KernelInterpreter, LoopsOfNoTripGiveTheirInit) {
  Ints data(8);
  const Status status =
      run_on(in_function("  %s = kernel.for %n, %i, %one, %n : i32 (%k: i32, %x: i32) {\n"
                         "    %y = kernel.add %x, %k : i32\n    kernel.yield %y\n  }\n"
                         "  kernel.store %s, %data, %i\n"),
             data, 5);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{5, 5, 5, 5, 5, 5, 10, 16}));
}

TEST(KernelInterpreter, NestedDivergenceMerges) {
  // Sum over k < i of (k odd ? k : -1), computed under two levels of masks.
  Ints data(8);
  const Status status =
      run_on(in_function("  %s = kernel.for %zero, %i, %one, %zero : i32 (%k: i32, %x: i32) {\n"
                         "    %low = kernel.and %k, %one : i32\n"
                         "    %odd = kernel.compare %low, %one {predicate = eq} : bool\n"
                         "    %t = kernel.if %odd : i32 () {\n      kernel.yield %k\n    } () {\n"
                         "      %m = kernel.neg %one : i32\n      kernel.yield %m\n    }\n"
                         "    %y = kernel.add %x, %t : i32\n    kernel.yield %y\n  }\n"
                         "  kernel.store %s, %data, %i\n"),
             data);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{0, -1, 0, -1, 2, 1, 6, 5}));
}

TEST(KernelInterpreter, IndexNearTheTopDoesNotOverflow) {
  Ints data(8);
  const Status status =
      run_on(in_function("  %low = kernel.constant {value = 2147483640} : i32\n"
                         "  %top = kernel.constant {value = 2147483647} : i32\n"
                         "  %five = kernel.constant {value = 5} : i32\n"
                         "  %s = kernel.for %low, %top, %five, %zero : i32 (%k: i32, %x: i32) {\n"
                         "    %y = kernel.add %x, %one : i32\n    kernel.yield %y\n  }\n"
                         "  kernel.store %s, %data, %i\n"),
             data);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, Ints(8, 2));
}

TEST(KernelInterpreter, IdsCoverTheGrid) {
  const std::string text = R"(
kernel.func @f {exact = false, subgroup = 0, workgroup = [2, 3, 2]} (%data: buffer<i32, write, address>) {
  %x = kernel.local_id {axis = 0} : i32
  %y = kernel.local_id {axis = 1} : i32
  %z = kernel.local_id {axis = 2} : i32
  %gx = kernel.workgroup_id {axis = 0} : i32
  %gy = kernel.workgroup_id {axis = 1} : i32
  %gz = kernel.workgroup_id {axis = 2} : i32
  %two = kernel.constant {value = 2} : i32
  %three = kernel.constant {value = 3} : i32
  %twelve = kernel.constant {value = 12} : i32
  %a = kernel.mul %z, %three : i32
  %b = kernel.add %a, %y : i32
  %c = kernel.mul %b, %two : i32
  %local = kernel.add %c, %x : i32
  %d = kernel.mul %gz, %two : i32
  %e = kernel.add %d, %gy : i32
  %f = kernel.mul %e, %two : i32
  %group = kernel.add %f, %gx : i32
  %g = kernel.mul %group, %twelve : i32
  %i = kernel.add %g, %local : i32
  kernel.store %i, %data, %i
  kernel.return
}
)";
  Ints data(96, -1);
  const Status status = decode(text).run({2, 2, 2}, std::array{buffer(data)});
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  for (int i = 0; i < 96; ++i) EXPECT_EQ(data[i], i);
}

TEST(KernelInterpreter, SharedMemoryExchangesAcrossBarriers) {
  Ints data(16);
  for (int i = 0; i < 16; ++i) data[i] = i * i;
  // Every workgroup reverses its 8 elements.
  const Status status = run_on(
      in_function(
          "  %s = kernel.shared : shared<i32, 8>\n  %g = kernel.workgroup_id {axis = 0} : i32\n"
          "  %eight = kernel.constant {value = 8} : i32\n"
          "  %seven = kernel.constant {value = 7} : i32\n"
          "  %base = kernel.mul %g, %eight : i32\n  %at = kernel.add %base, %i : i32\n"
          "  %v = kernel.load %data, %at : i32\n  kernel.store %v, %s, %i\n"
          "  kernel.barrier\n  %back = kernel.sub %seven, %i : i32\n"
          "  %w = kernel.load %s, %back : i32\n  kernel.store %w, %data, %at\n"),
      data, 0, {2, 1, 1});
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(data, (Ints{49, 36, 25, 16, 9, 4, 1, 0, 225, 196, 169, 144, 121, 100, 81, 64}));
}

TEST(KernelInterpreter, SubgroupOperations) {
  Ints data(16);
  for (int i = 0; i < 16; ++i) data[i] = 3 * i;
  const Status shuffled =
      run_on(in_function("  %v = kernel.load %data, %i : i32\n"
                         "  %w = kernel.shuffle_xor %v {mask = 5} : i32\n  kernel.barrier\n"
                         "  kernel.store %w, %data, %i\n",
                         "[16, 1, 1]"),
             data);
  ASSERT_TRUE(shuffled.has_value()) << shuffled.error().to_string();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(data[i], 3 * (i ^ 5));
  const Status reduced =
      run_on(in_function("  %v = kernel.load %data, %i : i32\n"
                         "  %w = kernel.subgroup_reduce %v {function = add} : i32\n"
                         "  %x = kernel.subgroup_reduce %v {function = max} : i32\n"
                         "  %y = kernel.subgroup_reduce %v {function = min} : i32\n"
                         "  %l = kernel.lane : i32\n  %s = kernel.add %w, %x : i32\n"
                         "  %t = kernel.sub %s, %y : i32\n  %u = kernel.add %t, %l : i32\n"
                         "  kernel.store %u, %data, %i\n",
                         "[16, 1, 1]"),
             data);
  ASSERT_TRUE(reduced.has_value()) << reduced.error().to_string();
  // Subgroups 0..7 and 8..15 of 3i: sums 84 and 276, maxima 21 and 45, minima 0 and 24.
  for (int i = 0; i < 16; ++i) EXPECT_EQ(data[i], (i < 8 ? 84 + 21 : 276 + 45 - 24) + i % 8);
}

TEST(KernelInterpreter, VectorsMoveTogether) {
  const std::string text = R"(
kernel.func @f {exact = false, subgroup = 0, workgroup = [2, 1, 1]} (%in: buffer<f16, read, address>, %out: buffer<f16, write, address>) {
  %i = kernel.local_id {axis = 0} : i32
  %four = kernel.constant {value = 4} : i32
  %at = kernel.mul %i, %four : i32
  %v = kernel.load %in, %at : vector<f16, 4>
  %a = kernel.extract %v {index = 0} : f16
  %b = kernel.extract %v {index = 1} : f16
  %c = kernel.extract %v {index = 2} : f16
  %d = kernel.extract %v {index = 3} : f16
  %r = kernel.compose %d, %c, %b, %a : vector<f16, 4>
  kernel.store %r, %out, %at
  kernel.return
}
)";
  std::vector<std::uint16_t> in{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint16_t> out(8);
  const Status status = decode(text).run({1, 1, 1}, std::array{buffer(in), buffer(out)});
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  EXPECT_EQ(out, (std::vector<std::uint16_t>{4, 3, 2, 1, 8, 7, 6, 5}));
}

TEST(KernelInterpreter, KeepsItsSpeed) {
  // A 64 x 64 x 64 matmul of one output a lane; prints the rate, fails only when it is absurd.
  constexpr std::int64_t size = 64;
  choir::Module module(kernel_registry(), "kernel");
  kernel::KernelBuilder k(module.body(), {.name = "matmul", .workgroup = {size, 1, 1}});
  auto* a = k.add_buffer(ElementType::f32, kernel::Access::read);
  auto* b = k.add_buffer(ElementType::f32, kernel::Access::read);
  auto* c = k.add_buffer(ElementType::f32, kernel::Access::write);
  auto* row = k.mul(k.workgroup_id(0), size);
  auto* column = k.local_id(0);
  auto* sum = k.for_loop(k.constant_i32(0), k.constant_i32(size), k.constant_i32(1),
                         {k.constant_f32(0)}, [&](auto* i, const auto& carried) {
                           auto* x = k.load(a, k.add(row, i));
                           auto* y = k.load(b, k.add(k.mul(i, size), column));
                           return kernel::KernelBuilder::Values{k.fma(x, y, carried[0])};
                         })[0];
  k.store(sum, c, k.add(row, column));
  k.finish();
  ASSERT_TRUE(choir::verify(module).has_value());
  const auto program = KernelProgram::decode(k.function());
  ASSERT_TRUE(program.has_value());
  Floats x(size * size);
  Floats y(size * size);
  Floats z(size * size);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 7) - 3;
    y[i] = static_cast<float>(i % 5) - 2;
  }
  const auto start = std::chrono::steady_clock::now();
  constexpr int repeats = 10;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Status status = program->run({size, 1, 1}, std::array{buffer(x), buffer(y), buffer(z)});
    ASSERT_TRUE(status.has_value()) << status.error().to_string();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = repeats * double{size} * size * size * 7 / seconds;
  std::printf("[   rate   ] %.0f M lane operations/s\n", rate / 1e6);
  EXPECT_GT(rate, 1e6);
  for (std::int64_t i = 0; i < size; ++i) {
    double expected = 0;  // small integers: exact
    for (std::int64_t j = 0; j < size; ++j)
      expected += static_cast<double>(x[i * size + j]) * y[j * size + 3];
    EXPECT_EQ(z[i * size + 3], expected);
  }
}

}  // namespace
}  // namespace accy::evaluate
