// What legalize does for the Vulkan target: exact functions keep to the exact subset, what a
// profile lacks is refused by the field's name, and loops are counted.
#include <set>

#include <gmock/gmock.h>
#include <spirv/unified1/GLSL.std.450.h>

#include "support/spirv_words.hpp"
#include "target/loop_limit.hpp"

namespace accy::vulkan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// --- exact functions ---------------------------------------------------------------------------

/// A function with every float operation of the exact subset.
KernelText exact_kernel() {
  KernelText kernel = operation_kernel("f32", 2, "kernel.add %x, %y", "f32", true);
  std::string body = "  %zero = kernel.constant {value = 0.0} : f32\n"
                     "  %minus = kernel.constant {value = -0.0} : f32\n"
                     "  %int = kernel.constant {value = 0} : i32\n"
                     "  %from = kernel.cast %int : f32\n"
                     "  %v0 = kernel.add %x, %zero : f32\n"
                     "  %v1 = kernel.mul %v0, %minus : f32\n"
                     "  %v2 = kernel.sub %from, %v1 : f32\n";
  int last = 2;
  for (const char* op : {"div", "min", "max"}) {
    body += "  %v" + std::to_string(last + 1) + " = kernel." + op + " %v" + std::to_string(last) +
            ", %y : f32\n";
    ++last;
  }
  for (const char* op : {"sqrt", "exp", "log", "tanh", "erf", "sin", "cos", "neg", "abs", "floor",
                         "ceil", "round", "trunc"}) {
    body += "  %v" + std::to_string(last + 1) + " = kernel." + op + " %v" + std::to_string(last) +
            " : f32\n";
    ++last;
  }
  body += "  kernel.store %v" + std::to_string(last) + ", %out, %i\n";
  kernel.body += body;
  return kernel;
}

TEST(SpirvExact, HasOnlyTheExactSubset) {
  const auto words = compile(exact_kernel(), profile_named("lavapipe"));
  ASSERT_TRUE(words) << words.error().to_string();
  const std::set<spv::Op> forbidden{spv::Op::OpFDiv,  spv::Op::OpFRem, spv::Op::OpFMod,
                                    spv::Op::OpSDiv,  spv::Op::OpSRem, spv::Op::OpSMod,
                                    spv::Op::OpFNegate};
  const std::set<std::uint32_t> allowed{GLSLstd450Floor, GLSLstd450Ceil, GLSLstd450RoundEven,
                                        GLSLstd450Trunc};
  for (const auto& [op, operands] : instructions(*words)) {
    EXPECT_FALSE(forbidden.contains(op)) << static_cast<unsigned>(op);
    if (op == spv::Op::OpExtInst) {
      EXPECT_TRUE(allowed.contains(operands[3])) << operands[3];
    }
  }
}

TEST(SpirvExact, EveryAddSubAndMulIsNotContracted) {
  const auto words = compile(exact_kernel(), profile_named("lavapipe"));
  ASSERT_TRUE(words) << words.error().to_string();
  std::set<std::uint32_t> decorated;
  std::size_t checked = 0;
  for (const auto& [op, operands] : instructions(*words)) {
    if (op == spv::Op::OpDecorate &&
        operands[1] == static_cast<std::uint32_t>(spv::Decoration::NoContraction))
      decorated.insert(operands[0]);
    if (op != spv::Op::OpFAdd && op != spv::Op::OpFSub && op != spv::Op::OpFMul) continue;
    ++checked;
    EXPECT_TRUE(decorated.contains(operands[1]));
  }
  EXPECT_GT(checked, 40U);
}

TEST(SpirvExact, NoFloatConstantIsAnOperandOfArithmetic) {
  const auto words = compile(exact_kernel(), profile_named("lavapipe"));
  ASSERT_TRUE(words) << words.error().to_string();
  std::set<std::uint32_t> constants;
  for (const auto& [op, operands] : instructions(*words)) {
    if (op == spv::Op::OpConstant) constants.insert(operands[1]);
    if (op != spv::Op::OpFAdd && op != spv::Op::OpFSub && op != spv::Op::OpFMul) continue;
    for (std::size_t index = 2; index < operands.size(); ++index)
      EXPECT_FALSE(constants.contains(operands[index]));
  }
}

std::set<std::uint32_t> execution_modes(const Words& words) {
  std::set<std::uint32_t> modes;
  for (const auto& [op, operands] : instructions(words))
    if (op == spv::Op::OpExecutionMode) modes.insert(operands[1]);
  return modes;
}

TEST(SpirvExact, DeclaresFloatControlsOfTheProfile) {
  const auto number = [](spv::ExecutionMode mode) { return static_cast<std::uint32_t>(mode); };
  const auto lavapipe = compile(exact_kernel(), profile_named("lavapipe"));
  const auto nvidia = compile(exact_kernel(), profile_named("nvidia"));
  ASSERT_TRUE(lavapipe && nvidia);
  for (const Words& words : {*lavapipe, *nvidia}) {
    EXPECT_EQ(execution_modes(words).count(number(spv::ExecutionMode::RoundingModeRTE)), 1U);
    EXPECT_EQ(
        execution_modes(words).count(number(spv::ExecutionMode::SignedZeroInfNanPreserve)), 1U);
  }
  // lavapipe keeps subnormals but declares nothing, so nothing may be demanded.
  const std::uint32_t preserve = number(spv::ExecutionMode::DenormPreserve);
  EXPECT_EQ(execution_modes(*lavapipe).count(preserve), 0U);
  EXPECT_EQ(execution_modes(*nvidia).count(preserve), 1U);
}

TEST(SpirvExact, AProfileWithoutFloatControlsIsRefused) {
  for (bool TargetProfile::*field :
       {&TargetProfile::rounding_rte_f32, &TargetProfile::signed_zero_inf_nan_f32,
        &TargetProfile::subnormals_kept_f32}) {
    TargetProfile profile = profile_named("lavapipe");
    profile.*field = false;
    EXPECT_THAT(compile_error(exact_kernel(), profile), HasSubstr("lacks"));
    expect_compiles(operation_kernel("i32", 2, "kernel.add %x, %y", "i32", true), profile);
  }
}

TEST(SpirvExact, DoubleQuotientsAreRefused) {
  for (const char* line : {"kernel.div %x, %y", "kernel.sqrt %x"})
    EXPECT_THAT(
        compile_error(operation_kernel("f64", 2, line, "f64", true), profile_named("lavapipe")),
        AllOf(HasSubstr("vulkan has no correctly rounded"), HasSubstr("of f64 (f32 only)")));
}

// --- what a profile lacks ----------------------------------------------------------------------

TEST(SpirvLegalize, NamesTheMissingField) {
  struct Case {
    std::string type;
    bool TargetProfile::*field;
    std::string name;
  };
  const std::vector<Case> cases{{"i8", &TargetProfile::arithmetic_i8, "arithmetic_i8"},
                                {"u16", &TargetProfile::arithmetic_i16, "arithmetic_i16"},
                                {"i64", &TargetProfile::arithmetic_i64, "arithmetic_i64"},
                                {"f64", &TargetProfile::arithmetic_f64, "arithmetic_f64"},
                                {"u8", &TargetProfile::storage_8bit, "storage_8bit"},
                                {"i16", &TargetProfile::storage_16bit, "storage_16bit"}};
  for (const Case& item : cases) {
    TargetProfile profile = profile_named("lavapipe");
    profile.*item.field = false;
    EXPECT_THAT(compile_error(operation_kernel(item.type, 2, "kernel.add %x, %y", item.type),
                              profile),
                HasSubstr(item.name));
  }
}

TEST(SpirvLegalize, HalvesNeedWhatHoldsThem) {
  TargetProfile profile = profile_named("lavapipe");
  profile.arithmetic_i16 = false;
  const KernelText native = operation_kernel("f16", 1, "kernel.cast %x", "f32");
  const KernelText by_code = operation_kernel("f16", 1, "kernel.cast %x", "f32", true);
  expect_compiles(native, profile);
  EXPECT_THAT(compile_error(by_code, profile), HasSubstr("arithmetic_i16"));
  profile = profile_named("lavapipe");
  profile.arithmetic_f16 = false;
  expect_compiles(native, profile);
  expect_compiles(by_code, profile);
}

TEST(SpirvLegalize, LimitsOfTheWorkgroupAreChecked) {
  KernelText kernel = operation_kernel("f32", 2, "kernel.add %x, %y", "f32");
  kernel.workgroup = "[256, 1, 1]";
  EXPECT_THAT(compile_error(kernel, profile_named("generic")),
              HasSubstr("workgroup_size_maximum of vulkan:generic (128)"));
  kernel.workgroup = "[64, 4, 1]";
  EXPECT_THAT(compile_error(kernel, profile_named("generic")),
              HasSubstr("needs 256, above workgroup_invocations_maximum"));
  TargetProfile wide = profile_named("lavapipe");
  wide.subgroup_size_control = true;
  wide.subgroup_size_minimum = wide.subgroup_size_maximum = 32;
  KernelText narrow = operation_kernel("f32", 2, "kernel.add %x, %y", "f32");
  narrow.subgroup = 8;
  EXPECT_THAT(compile_error(narrow, wide), HasSubstr("below subgroup_size_minimum of vulkan:"));
  kernel.body.insert(0, "  %m = kernel.shared : shared<f32, 10000>\n");
  kernel.workgroup = "[64, 1, 1]";
  EXPECT_THAT(compile_error(kernel, profile_named("generic")), HasSubstr("shared_memory_bytes"));
}

TEST(SpirvLegalize, OtherBindingClassesAreRefused) {
  KernelText kernel;
  kernel.parameters = "%in: buffer<f32, read, texel>, %out: buffer<f32, write, address>";
  kernel.body = index_text + "  %x = kernel.load %in, %i : f32\n  kernel.store %x, %out, %i\n";
  EXPECT_THAT(compile_error(kernel, profile_named("lavapipe")), HasSubstr("binding class"));
}

TEST(SpirvLegalize, DoubleMathIsRefused) {
  for (const char* op : {"exp", "log", "tanh", "erf", "sin", "cos"})
    EXPECT_THAT(
        compile_error(operation_kernel("f64", 1, "kernel." + std::string(op) + " %x", "f64"),
                      profile_named("lavapipe")),
        AllOf(HasSubstr("kernel." + std::string(op)), HasSubstr("f64 (f32 only)")));
}

// --- the loop limit ----------------------------------------------------------------------------

KernelText loops(const std::string& outer_bound, const std::string& attribute) {
  KernelText kernel;
  kernel.parameters = "%out: buffer<i32, write, address>, %n: i32";
  kernel.body = index_text +
                "  %c0 = kernel.constant {value = 0} : i32\n"
                "  %c3 = kernel.constant {value = 3} : i32\n"
                "  %c10 = kernel.constant {value = 10} : i32\n"
                "  %outer = kernel.constant {value = " + outer_bound + "} : i32\n"
                "  %s = kernel.for %i, %outer, %c10, %c0 : i32 (%k: i32, %a: i32) {\n"
                "    %t = kernel.for %c0, %n, %c3, %a " + attribute +
                " : i32 (%l: i32, %b: i32) {\n"
                "      %u = kernel.add %b, %l : i32\n"
                "      kernel.yield %u\n    }\n"
                "    kernel.yield %t\n  }\n"
                "  kernel.store %s, %out, %i\n";
  return kernel;
}

TEST(LoopLimit, CountsNestedLoops) {
  auto module = parse_kernel(loops("101", "{maximum_trips = 7}"));
  ASSERT_TRUE(module) << module.error().to_string();
  // 11 outer trips (0, 10, ..., 100), each with 7 inner ones.
  EXPECT_EQ(*target::worst_case_iterations(*module->body().front()), 11 + 11 * 7);
}

TEST(LoopLimit, AtTheLimitAndAbove) {
  // 6500 * (1 + 9) = 65000; one more outer trip is too much.
  expect_compiles(loops("65000", "{maximum_trips = 9}"), profile_named("lavapipe"));
  EXPECT_THAT(compile_error(loops("65001", "{maximum_trips = 9}"), profile_named("lavapipe")),
              HasSubstr("65010 iterations, above loop_iterations_maximum of vulkan:lavapipe "
                        "(65000)"));
  expect_compiles(loops("65001", "{maximum_trips = 9}"), profile_named("nvidia"));
}

TEST(LoopLimit, UnboundedIsAnErrorWhereThereIsALimit) {
  EXPECT_THAT(compile_error(loops("10", ""), profile_named("lavapipe")),
              HasSubstr("no static bound"));
  expect_compiles(loops("10", ""), profile_named("nvidia"));
}

}  // namespace
}  // namespace accy::vulkan
