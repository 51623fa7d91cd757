// The kernel dialect: the specification's example, each rule of the verifier, layout, builder.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "choir/text.hpp"
#include "dialect/kernel/kernel.hpp"
#include "dialect/kernel/kernel_builder.hpp"
#include "dialect/kernel/uniformity.hpp"

namespace accy::kernel {
namespace {

using ::testing::HasSubstr;

const choir::Registry& registry() {
  static const choir::Registry instance = [] {
    choir::Registry made;
    register_kernel_dialect(made);
    return made;
  }();
  return instance;
}

Result<choir::Module> read(const std::string& text) {
  return choir::parse_and_verify("choir kernel v1\n" + text, "test.choir", registry());
}

/// A function around a body, of one workgroup of 64 with subgroups of 32.
std::string in_function(const std::string& body, bool exact = false) {
  return "kernel.func @f {exact = " + std::string(exact ? "true" : "false") +
         ", subgroup = 32, workgroup = [64, 1, 1]} (%in: buffer<f32, read, address>, %out: "
         "buffer<f32, write, address>, %n: i32, %x: f32, %flag: bool, %d: f64, %u: u8) {\n"
         "  %local = kernel.local_id {axis = 0} : i32\n" +
         body + "\n  kernel.return\n}\n";
}

void expect_valid(const std::string& body) {
  const auto module = read(in_function(body));
  EXPECT_TRUE(module.has_value()) << body << "\n" << module.error().to_string();
}

void expect_fault(const std::string& body, const std::string& message) {
  const auto module = read(in_function(body));
  ASSERT_FALSE(module.has_value()) << body;
  EXPECT_THAT(module.error().to_string(), HasSubstr(message)) << body;
}

constexpr const char* add_example = R"(
kernel.func @add {exact = false, subgroup = 0, workgroup = [64, 1, 1]} (%a: buffer<f32, read, address>, %b: buffer<f32, read, address>, %out: buffer<f32, write, address>) {
  %group = kernel.workgroup_id {axis = 0} : i32
  %local = kernel.local_id {axis = 0} : i32
  %size = kernel.constant {value = 64} : i32
  %base = kernel.mul %group, %size : i32
  %i = kernel.add %base, %local : i32
  %n = kernel.constant {value = 1000} : i32
  %inside = kernel.compare %i, %n {predicate = lt} : bool
  kernel.if %inside () {
    %x = kernel.load %a, %i : f32
    %y = kernel.load %b, %i : f32
    %sum = kernel.add %x, %y : f32
    kernel.store %sum, %out, %i
    kernel.yield
  } () {
    kernel.yield
  }
  kernel.return
}
)";

TEST(KernelDialect, ReadsAndPrintsTheExample) {
  const auto module = read(add_example);
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  const std::string text = choir::print(*module, {.locations = false});
  const auto again = choir::parse_and_verify(text, "again.choir", registry());
  ASSERT_TRUE(again.has_value()) << again.error().to_string();
  EXPECT_EQ(choir::print(*again, {.locations = false}), text);
}

TEST(KernelDialect, ListsEveryOperationOfTheSpecification) {
  std::set<std::string_view> names;
  for (const choir::OperationDefinition* definition : operation_definitions()) {
    EXPECT_FALSE(definition->summary.empty()) << definition->name;
    EXPECT_TRUE(names.insert(definition->name).second) << definition->name;
  }
  EXPECT_EQ(names.size(), 48U);
}

TEST(KernelDialect, TypesCheckTheirParameters) {
  const auto fault = [](const std::string& type, const std::string& message) {
    const auto module = read("kernel.func @f {exact = false, subgroup = 0, workgroup = [1, 1, 1]} "
                             "(%a: " +
                             type + ") {\n  kernel.return\n}\n");
    ASSERT_FALSE(module.has_value()) << type;
    EXPECT_THAT(module.error().to_string(), HasSubstr(message)) << type;
  };
  fault("buffer<f32, read>", "takes 3 parameters");
  fault("buffer<f33, read, address>", "element type");
  fault("buffer<f32, look, address>", "read, write or read_write");
  fault("buffer<f32, read, mail>", "address, texel or storage");
  fault("buffer<f32, write, texel>", "texel buffer can only be read");
  fault("vector<f32, 3>", "vector width");
  fault("vector<f64, 4>", "at most 16 bytes");
  fault("shared<f32, 0>", "shared memory holds 1 to 262144");
  fault("f16", "expected a buffer");
  fault("vector<f32, 4>", "expected a buffer");
}

TEST(KernelDialect, ChecksTheFunction) {
  const auto fault = [](const std::string& attributes, const std::string& message) {
    const auto module = read("kernel.func @f {" + attributes + "} () {\n  kernel.return\n}\n");
    ASSERT_FALSE(module.has_value()) << attributes;
    EXPECT_THAT(module.error().to_string(), HasSubstr(message)) << attributes;
  };
  fault("exact = false, subgroup = 0, workgroup = [1, 1]", "three sizes");
  fault("exact = false, subgroup = 0, workgroup = [0, 1, 1]", "three sizes");
  fault("exact = false, subgroup = 0, workgroup = [4096, 2, 1]", "got 8192");
  fault("exact = false, subgroup = 24, workgroup = [48, 1, 1]", "power of two (got 24)");
  fault("exact = false, subgroup = 32, workgroup = [48, 1, 1]", "got 48 and 32");
  fault("exact = 1, subgroup = 0, workgroup = [1, 1, 1]", "exact is a boolean");
  fault("exact = false, workgroup = [1, 1, 1]", "subgroup");
}

TEST(KernelDialect, ChecksConstants) {
  expect_valid("  %c = kernel.constant {value = -128} : i8");
  expect_valid("  %c = kernel.constant {value = -1} : u64");
  expect_fault("  %c = kernel.constant {value = 128} : i8", "value 128 is out of the range of i8");
  expect_fault("  %c = kernel.constant {value = -1} : u8", "value -1 is out of the range of u8");
  expect_fault("  %c = kernel.constant {value = 1} : f32", "does not fit");
  expect_fault("  %c = kernel.constant {value = 1} : bool", "does not fit");
  expect_fault("  %c = kernel.constant {value = 1.0} : f16", "got f16");
}

TEST(KernelDialect, ChecksArithmeticTypes) {
  expect_fault("  %c = kernel.add %n, %x : i32", "operand 1 has type f32, operand 0 has i32");
  expect_fault("  %c = kernel.add %flag, %flag : bool", "expected an integer, f32 or f64");
  expect_fault("  %c = kernel.and %x, %x : f32", "expected an integer or bool");
  expect_fault("  %c = kernel.shl %flag, %flag : bool", "expected an integer");
  expect_fault("  %c = kernel.exp %n : i32", "expected f32 or f64");
  expect_fault("  %c = kernel.fma %n, %n, %n : i32", "expected f32 or f64");
  expect_fault("  %c = kernel.div %x, %x {index = true} : f32", "needs integer operands");
  expect_fault("  %c = kernel.compare %flag, %flag {predicate = lt} : bool", "eq or ne only");
  expect_fault("  %c = kernel.compare %n, %n {predicate = above} : bool", "one of eq, ne");
  expect_fault("  %c = kernel.select %n, %n, %n : i32", "expected bool");
  expect_fault("  %c = kernel.select %flag, %n, %x : i32", "operand 1 has i32");
  expect_fault("  %c = kernel.select %flag, %in, %in : i32",
               "operand 1 has type buffer<f32, read, address>, expected a scalar");
  expect_fault("  %c = kernel.exp %in : f32",
               "operand 0 has type buffer<f32, read, address>, expected f32 or f64");
  expect_fault("  %c = kernel.bitcast %x : f64", "differ in size (f32 to f64)");
  expect_fault("  %c = kernel.bitcast %u : bool", "takes and gives integers");
  expect_fault("  %c = kernel.cast %in : f32", "converts a scalar to a scalar");
  const auto exact = read(in_function("  %c = kernel.fma %x, %x, %x : f32", true));
  ASSERT_FALSE(exact.has_value());
  EXPECT_THAT(exact.error().to_string(), HasSubstr("an exact function has none"));
}

TEST(KernelDialect, ChecksMemory) {
  expect_valid("  %v = kernel.load %in, %local : vector<f32, 4>\n"
               "  %e = kernel.extract %v {index = 3} : f32");
  expect_fault("  %v = kernel.load %out, %local : f32",
               "loads from a buffer whose access is write");
  expect_fault("  kernel.store %x, %in, %local", "stores to a buffer whose access is read");
  expect_fault("  %v = kernel.load %in, %local : i32", "moves i32 through memory of f32");
  expect_fault("  %v = kernel.load %in, %x : f32", "expected i32 or i64");
  expect_fault("  %v = kernel.load %x, %local : f32", "accesses a buffer or shared memory");
  expect_fault("  %v = kernel.load %in, %local : vector<f32, 4>\n"
               "  %e = kernel.extract %v {index = 4} : f32",
               "from 0 to 3 (got 4)");
  expect_fault("  %v = kernel.compose %x, %x, %x : vector<f32, 4>", "composes 4 elements (got 3)");
  expect_fault("  %v = kernel.compose %x, %n : vector<f32, 2>", "operand has type i32");
  expect_fault("  kernel.if %flag () {\n  %s = kernel.shared : shared<f32, 4>\n  kernel.yield\n"
               "  } () {\n  kernel.yield\n  }",
               "top level of a kernel.func");
  expect_fault("  %i = kernel.local_id {axis = 3} : i32", "from 0 to 2 (got 3)");
}

TEST(KernelDialect, ChecksControlFlow) {
  const std::string head = "  %one = kernel.constant {value = 1} : i32\n";
  expect_valid(head + "  %s = kernel.for %one, %n, %one, %x : f32 (%i: i32, %a: f32) {\n"
                      "    %b = kernel.add %a, %x : f32\n    kernel.yield %b\n  }");
  expect_fault(head + "  %s = kernel.for %one, %n, %one, %x : f32 (%i: i32) {\n"
                      "    kernel.yield %x\n  }",
               "got 1 arguments");
  expect_fault(head + "  %s = kernel.for %one, %n, %one, %x : f32 (%i: i32, %a: f32) {\n"
                      "    kernel.yield\n  }",
               "yields 0 values, expected 1");
  expect_fault(head + "  %s = kernel.for %one, %n, %one, %x : f32 (%i: i32, %a: f32) {\n"
                      "    kernel.yield %i\n  }",
               "value 0 has type i32, expected f32");
  expect_fault("  %zero = kernel.constant {value = 0} : i32\n"
               "  kernel.for %zero, %n, %zero (%i: i32) {\n    kernel.yield\n  }",
               "step is positive (got 0)");
  expect_fault("  kernel.if %n () {\n  kernel.yield\n  } () {\n  kernel.yield\n  }",
               "condition has type i32");
  expect_fault("  %r = kernel.if %flag : f32 () {\n  kernel.yield %x\n  } () {\n"
               "  kernel.yield %n\n  }",
               "value 0 has type i32, expected f32");
}

TEST(KernelDialect, BarrierNeedsUniformControlFlow) {
  const std::string barrier_if = "  kernel.if %c () {\n    kernel.barrier\n    kernel.yield\n"
                                 "  } () {\n    kernel.yield\n  }";
  expect_valid("  %g = kernel.workgroup_id {axis = 0} : i32\n"
               "  %c = kernel.compare %g, %n {predicate = lt} : bool\n" +
               barrier_if);
  expect_fault("  %c = kernel.compare %local, %n {predicate = lt} : bool\n" + barrier_if,
               "may differ between invocations");
  // The same through a load, and through a loop whose trip count differs.
  expect_fault("  %v = kernel.load %in, %local : f32\n"
               "  %c = kernel.compare %v, %x {predicate = lt} : bool\n" +
                   barrier_if,
               "may differ between invocations");
  expect_fault("  kernel.for %local, %n, %n (%i: i32) {\n    kernel.barrier\n"
               "    kernel.yield\n  }",
               "may differ between invocations");
  // A value that becomes divergent only in the second trip of a loop.
  expect_fault("  %one = kernel.constant {value = 1} : i32\n"
               "  %r = kernel.for %one, %n, %one, %flag : bool (%i: i32, %c: bool) {\n" +
                   barrier_if +
                   "\n    %next = kernel.compare %local, %i {predicate = lt} : bool\n"
                   "    kernel.yield %next\n  }",
               "may differ between invocations");
}

TEST(KernelDialect, SubgroupOperationsNeedWholeSubgroups) {
  const std::string reduce_if =
      "  kernel.if %c () {\n    %r = kernel.subgroup_reduce %x {function = add} : f32\n"
      "    kernel.yield\n  } () {\n    kernel.yield\n  }";
  expect_valid("  %w = kernel.constant {value = 32} : i32\n"
               "  %c = kernel.compare %local, %w {predicate = lt} : bool\n" +
               reduce_if);
  expect_valid("  %w = kernel.constant {value = 32} : i32\n"
               "  %s = kernel.div %local, %w {index = true} : i32\n"
               "  %c = kernel.compare %s, %n {predicate = eq} : bool\n" +
               reduce_if);
  expect_fault("  %w = kernel.constant {value = 16} : i32\n"
               "  %c = kernel.compare %local, %w {predicate = lt} : bool\n" +
                   reduce_if,
               "may differ between lanes");
  expect_fault("  %r = kernel.shuffle_xor %x {mask = 32} : f32", "from 0 to 31 (got 32)");
  expect_fault("  %r = kernel.shuffle_xor %d {mask = 1} : f64", "expected i32, u32 or f32");
  expect_fault("  %r = kernel.subgroup_reduce %x {function = mul} : f32", "one of add, min, max");
  const auto none = read("kernel.func @f {exact = false, subgroup = 0, workgroup = [32, 1, 1]} () "
                         "{\n  %l = kernel.lane : i32\n  kernel.return\n}\n");
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().to_string(), HasSubstr("subgroup = 0"));
}

TEST(KernelDialect, LaysOutTheArgumentBlock) {
  const auto module =
      read("kernel.func @f {exact = false, subgroup = 0, workgroup = [1, 1, 1]} (%a: i8, %b: "
           "buffer<f32, read, address>, %c: bool, %d: u16, %e: f64, %f: buffer<f16, write, "
           "storage>, %g: i32) {\n  kernel.return\n}\n");
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  const auto layout = argument_layout(*module->lookup("f"));
  ASSERT_TRUE(layout.has_value());
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (const ArgumentSlot& slot : layout->slots)
    places.emplace_back(slot.offset_bytes, slot.size_bytes);
  // i8 at 0; buffer to 8; bool (4) at 16; u16 at 20; f64 to 24; buffer at 32; i32 at 40.
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected{
      {0, 1}, {8, 8}, {16, 4}, {20, 2}, {24, 8}, {32, 8}, {40, 4}};
  EXPECT_EQ(places, expected);
  EXPECT_EQ(layout->size_bytes, 44);
  EXPECT_TRUE(layout->slots[5].is_buffer);
  EXPECT_EQ(layout->slots[5].access, Access::write);
  EXPECT_FALSE(layout->slots[6].is_buffer);
}

TEST(KernelDialect, CountsSharedMemory) {
  const auto module = read(
      in_function("  %s = kernel.shared : shared<u8, 3>\n  %t = kernel.shared : shared<f32, 8>"));
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(shared_memory_bytes(*module->lookup("f")), 16 + 32);
}

TEST(KernelDialect, ConstantBitsAreOfTheType) {
  const auto module = read(in_function(
      "  %a = kernel.constant {value = -1} : i8\n  %b = kernel.constant {value = 0.1} : f32\n"
      "  %c = kernel.constant {value = true} : bool\n  %e = kernel.constant {value = -2} : u64"));
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  std::vector<std::uint64_t> bits;
  for (const choir::Operation* operation : module->lookup("f")->body().operations())
    if (operation->name() == op::constant) bits.push_back(constant_bits(*operation));
  EXPECT_EQ(bits, (std::vector<std::uint64_t>{0xff, 0x3dcccccd, 1, 0xfffffffffffffffe}));
}

TEST(KernelBuilder, WritesTheExample) {
  choir::Module module(registry(), "kernel");
  KernelBuilder k(module.body(), {.name = "add", .workgroup = {64, 1, 1}});
  auto* a = k.add_buffer(ElementType::f32, Access::read, "a");
  auto* b = k.add_buffer(ElementType::f32, Access::read, "b");
  auto* out = k.add_buffer(ElementType::f32, Access::write, "out");
  auto* i = k.add(k.mul(k.workgroup_id(0), 64), k.local_id(0));
  k.if_then(k.less(i, 1000), [&] { k.store(k.add(k.load(a, i), k.load(b, i)), out, i); });
  k.finish();
  const Status status = choir::verify(module);
  ASSERT_TRUE(status.has_value()) << status.error().to_string();
  const auto example = read(add_example);
  ASSERT_TRUE(example.has_value());
  EXPECT_EQ(choir::count_operations(module.operation()),
            choir::count_operations(example->operation()));
}

TEST(KernelBuilder, FoldsIndexArithmetic) {
  choir::Module module(registry(), "kernel");
  KernelBuilder k(module.body(), {.name = "f", .workgroup = {8, 1, 1}});
  auto* i = k.local_id(0);
  EXPECT_EQ(k.mul(i, 1), i);
  EXPECT_EQ(k.add(i, 0), i);
  EXPECT_EQ(k.sub(i, 0), i);
  EXPECT_EQ(k.index_div(i, 1), i);
  EXPECT_EQ(k.index_rem(i, 1), k.constant_i32(0));
  EXPECT_EQ(k.mul(i, 0), k.constant_i32(0));
  EXPECT_EQ(k.local_id(1), k.constant_i32(0));
  EXPECT_EQ(k.add(k.constant_i32(7), 5), k.constant_i32(12));
  EXPECT_EQ(k.mul(k.constant_i32(1 << 20), 1 << 20), k.constant_i32(0));
  EXPECT_EQ(k.index_div(k.constant_i32(7), 2), k.constant_i32(3));
  EXPECT_EQ(k.index_rem(k.constant_i32(7), 2), k.constant_i32(1));
  EXPECT_EQ(k.less(k.constant_i32(1), 2), k.constant_bool(true));
  auto* twice = k.add(k.add(i, 3), 4);
  EXPECT_EQ(twice->defining_operation()->operand(0), i);
  EXPECT_EQ(constant_integer(twice->defining_operation()->operand(1)), 7);
  EXPECT_EQ(k.local_id(0), i);
  k.finish();
  EXPECT_TRUE(choir::verify(module).has_value());
}

TEST(KernelBuilder, ConstantsStandAheadOfNestedUses) {
  choir::Module module(registry(), "kernel");
  KernelBuilder k(module.body(), {.name = "f", .workgroup = {8, 1, 1}});
  auto* out = k.add_buffer(ElementType::i32, Access::write);
  auto* n = k.add_scalar(ElementType::i32);
  auto* total = k.for_loop(k.constant_i32(0), n, k.constant_i32(1), {k.constant_i32(0)},
                           [&](auto* index, const auto& carried) {
                             return KernelBuilder::Values{k.add(carried[0], k.mul(index, 17))};
                           })[0];
  k.store(k.add(total, 17), out, k.local_id(0));
  k.finish();
  const Status status = choir::verify(module);
  EXPECT_TRUE(status.has_value()) << status.error().to_string();
}

TEST(KernelBuilder, LoopsOfNoAndOneTripLeaveNoLoop) {
  choir::Module module(registry(), "kernel");
  KernelBuilder k(module.body(), {.name = "f", .workgroup = {8, 1, 1}});
  int bodies = 0;
  const auto body = [&](auto*) { ++bodies; };
  k.for_each(k.constant_i32(4), k.constant_i32(4), k.constant_i32(1), body);
  EXPECT_EQ(bodies, 0);
  k.for_each(k.constant_i32(0), k.constant_i32(4), k.constant_i32(4), body);
  EXPECT_EQ(bodies, 1);
  k.if_then(k.constant_bool(false), [&] { ++bodies; });
  EXPECT_EQ(bodies, 1);
  k.finish();
  for (const choir::Operation* operation : k.function().body().operations())
    EXPECT_EQ(operation->region_count(), 0U) << operation->name();
}

}  // namespace
}  // namespace accy::kernel
