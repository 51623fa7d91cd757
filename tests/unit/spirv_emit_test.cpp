// SPIR-V from kernel programs: every operation of the dialect on the types it takes validates, and
// the module says what the program means.
#include <array>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "support/spirv_words.hpp"
#include "targets/vulkan/emit/emitter.hpp"
#include "targets/vulkan/emit/validate.hpp"

namespace accy::vulkan {
namespace {

using ::testing::HasSubstr;

TEST(SpirvEmit, EveryOperationIsEmittedOrRemovedByLegalize) {
  const std::set<std::string_view> removed{kernel::op::tanh, kernel::op::erf, kernel::op::sin,
                                           kernel::op::cos};
  const std::set<std::string_view> frame{kernel::op::func};
  for (const choir::OperationDefinition* definition : kernel::operation_definitions()) {
    const bool handled = removed.contains(definition->name) || frame.contains(definition->name);
    EXPECT_EQ(find_rule(definition->name) == nullptr, handled) << definition->name;
  }
}

TEST(SpirvEmit, ArithmeticOfEveryTypeValidates) {
  const TargetProfile& profile = profile_named("lavapipe");
  for (const std::string& type : with_floats()) {
    for (const char* op : {"add", "sub", "mul", "div", "rem", "min", "max"})
      expect_compiles(
          operation_kernel(type, 2, "kernel." + std::string(op) + " %x, %y", type), profile);
    for (const char* op : {"neg", "abs"})
      expect_compiles(operation_kernel(type, 1, "kernel." + std::string(op) + " %x", type),
                      profile);
    for (const char* predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
      expect_compiles(operation_kernel(type, 2,
                                       "kernel.compare %x, %y {predicate = " +
                                           std::string(predicate) + "}",
                                       "bool"),
                      profile);
  }
}

TEST(SpirvEmit, BitsOfEveryTypeValidate) {
  const TargetProfile& profile = profile_named("lavapipe");
  for (const std::string& type : integers)
    for (const char* op : {"and", "or", "xor", "shl", "shr"})
      expect_compiles(
          operation_kernel(type, 2, "kernel." + std::string(op) + " %x, %y", type), profile);
  for (const char* op : {"and", "or", "xor"})
    expect_compiles(
        operation_kernel("bool", 2, "kernel." + std::string(op) + " %x, %y", "bool"), profile);
  for (const char* type : {"bool", "i8", "u64"})
    expect_compiles(operation_kernel(type, 1, "kernel.not %x", type), profile);
  for (const char* predicate : {"eq", "ne"})
    expect_compiles(operation_kernel("bool", 2,
                                     "kernel.compare %x, %y {predicate = " +
                                         std::string(predicate) + "}",
                                     "bool"),
                    profile);
}

TEST(SpirvEmit, MathValidates) {
  const TargetProfile& profile = profile_named("lavapipe");
  for (const char* op :
       {"exp", "log", "tanh", "erf", "sin", "cos", "sqrt", "floor", "ceil", "round", "trunc"})
    for (const bool exact : {false, true})
      expect_compiles(
          operation_kernel("f32", 1, "kernel." + std::string(op) + " %x", "f32", exact), profile);
  for (const char* op : {"sqrt", "floor", "ceil", "round", "trunc"})
    expect_compiles(operation_kernel("f64", 1, "kernel." + std::string(op) + " %x", "f64"),
                    profile);
  for (const char* type : {"f32", "f64"})
    expect_compiles(operation_kernel(type, 3, "kernel.fma %x, %y, %z", type), profile);
}

TEST(SpirvEmit, EveryCastValidates) {
  for (const char* name : {"lavapipe", "nvidia"})
    for (const std::string& from : all_types)
      for (const std::string& to : all_types)
        for (const bool exact : {false, true})
          expect_compiles(operation_kernel(from, 1, "kernel.cast %x", to, exact),
                          profile_named(name));
  const std::array<std::array<const char*, 2>, 5> pairs{
      {{"f32", "u32"}, {"i32", "f32"}, {"f64", "i64"}, {"u64", "f64"}, {"i32", "u32"}}};
  for (const auto& [from, to] : pairs)
    for (const bool exact : {false, true})
      expect_compiles(operation_kernel(from, 1, "kernel.bitcast %x", to, exact),
                      profile_named("lavapipe"));
}

TEST(SpirvEmit, SelectAndConstantsOfEveryTypeValidate) {
  for (const std::string& type : all_types) {
    KernelText kernel = operation_kernel(type, 2, "kernel.select %c, %x, %y", type);
    kernel.body.insert(0, "  %c = kernel.constant {value = true} : bool\n");
    expect_compiles(kernel, profile_named("lavapipe"));
  }
  for (const std::string& type : integers)
    expect_compiles(operation_kernel(type, 0, "kernel.constant {value = 100}", type),
                    profile_named("lavapipe"));
  for (const char* type : {"i8", "i16", "i32", "i64"})
    expect_compiles(operation_kernel(type, 0, "kernel.constant {value = -100}", type),
                    profile_named("lavapipe"));
  for (const bool exact : {false, true})
    for (const char* value : {"0.0", "-0.0", "1.5"})
      for (const std::string& type : floats)
        expect_compiles(operation_kernel(type, 0,
                                         "kernel.constant {value = " + std::string(value) + "}",
                                         type, exact),
                        profile_named("lavapipe"));
}

/// Widths of vectors of a type: at most 16 bytes.
std::vector<int> vector_widths(const std::string& type) {
  if (type == "i64" || type == "u64" || type == "f64") return {2};
  const bool small = type.ends_with("8") || type.ends_with("16") || type == "bool";
  return small ? std::vector{2, 4, 8} : std::vector{2, 4};
}

TEST(SpirvEmit, VectorAccessOfEveryTypeValidates) {
  for (const std::string& type : all_types)
    for (const int width : vector_widths(type)) {
      const std::string vector = "vector<" + type + ", " + std::to_string(width) + ">";
      KernelText kernel;
      kernel.parameters = "%in: buffer<" + type + ", read, address>, %out: buffer<" + type +
                          ", read_write, address>";
      kernel.body = "  %m = kernel.shared : shared<" + type + ", 64>\n"
                    "  %i = kernel.constant {value = 0} : i32\n"
                    "  %v = kernel.load %in, %i : " + vector + "\n"
                    "  kernel.store %v, %m, %i\n  kernel.barrier\n"
                    "  %w = kernel.load %m, %i : " + vector + "\n"
                    "  %e = kernel.extract %w {index = 1} : " + type + "\n"
                    "  %c = kernel.compose %e";
      for (int lane = 1; lane < width; ++lane) kernel.body += ", %e";
      kernel.body += " : " + vector + "\n  kernel.store %c, %out, %i\n";
      for (const bool exact : {false, true}) {
        kernel.exact = exact;
        expect_compiles(kernel, profile_named("lavapipe"));
      }
    }
}

KernelText scalar_parameters() {
  KernelText kernel;
  std::vector<std::string> types = with_floats();
  types.push_back("bool");
  for (const std::string& type : types)
    kernel.parameters += "%p_" + type + ": " + type + ", %b_" + type + ": buffer<" + type +
                         ", write, address>, ";
  kernel.parameters.resize(kernel.parameters.size() - 2);
  kernel.body = index_text;
  for (const std::string& type : types)
    kernel.body += "  kernel.store %p_" + type + ", %b_" + type + ", %i\n";
  return kernel;
}

TEST(SpirvEmit, ScalarParametersOfEveryTypeValidate) {
  expect_compiles(scalar_parameters(), profile_named("lavapipe"));
  expect_compiles(scalar_parameters(), profile_named("nvidia"));
}

TEST(SpirvEmit, BlockOffsetsAreThoseOfTheArgumentLayout) {
  auto module = parse_kernel(scalar_parameters());
  ASSERT_TRUE(module) << module.error().to_string();
  const auto layout = kernel::argument_layout(*module->body().front());
  ASSERT_TRUE(layout);
  const auto words = compile(scalar_parameters(), profile_named("lavapipe"));
  ASSERT_TRUE(words) << words.error().to_string();
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> offsets;
  for (const auto& [op, operands] : instructions(*words))
    if (op == spv::Op::OpMemberDecorate &&
        operands[2] == static_cast<std::uint32_t>(spv::Decoration::Offset))
      offsets[operands[0]][operands[1]] = operands[3];
  std::size_t blocks = 0;
  for (const auto& [type, members] : offsets) {
    if (members.size() != layout->slots.size()) continue;
    ++blocks;
    for (const auto& [member, offset] : members)
      EXPECT_EQ(offset, layout->slots[member].offset_bytes) << member;
  }
  EXPECT_EQ(blocks, 1U);
}

const KernelText reduction{
    "%in: buffer<f32, read, address>, %out: buffer<f32, read_write, address>, %n: i32",
    R"(  %m = kernel.shared : shared<f32, 64>
  %i = kernel.local_id {axis = 0} : i32
  %g = kernel.workgroup_id {axis = 1} : i32
  %zero = kernel.constant {value = 0.0} : f32
  %c0 = kernel.constant {value = 0} : i32
  %c1 = kernel.constant {value = 1} : i32
  %c64 = kernel.constant {value = 64} : i32
  %c10 = kernel.constant {value = 10} : i32
  %limit = kernel.constant {value = 3.5} : f32
  %sum, %last = kernel.for %i, %n, %c64, %zero, %c0 {maximum_trips = 100} : f32, i32 (%k: i32, %acc: f32, %old: i32) {
    %inner = kernel.for %c0, %c10, %c1, %acc : f32 (%l: i32, %part: f32) {
      %x = kernel.load %in, %k : f32
      %big = kernel.compare %x, %limit {predicate = gt} : bool
      %y = kernel.if %big : f32 () {
        %d = kernel.add %part, %x : f32
        kernel.yield %d
      } () {
        kernel.yield %part
      }
      kernel.yield %y
    }
    kernel.yield %inner, %k
  }
  kernel.store %sum, %m, %i
  kernel.barrier
  %first = kernel.load %m, %c0 : f32
  kernel.store %first, %out, %i
)"};

TEST(SpirvEmit, ControlFlowAndBarrierValidate) {
  for (const TargetProfile& profile : profiles()) expect_compiles(reduction, profile);
}

TEST(SpirvEmit, BarrierOrdersWorkgroupAndDeviceMemory) {
  const auto words = compile(reduction, profile_named("lavapipe"));
  ASSERT_TRUE(words) << words.error().to_string();
  std::map<std::uint32_t, std::uint32_t> constants;
  std::size_t barriers = 0;
  for (const auto& [op, operands] : instructions(*words)) {
    if (op == spv::Op::OpConstant) constants[operands[1]] = operands[2];
    if (op != spv::Op::OpControlBarrier) continue;
    ++barriers;
    EXPECT_EQ(constants[operands[0]], 2U);
    EXPECT_EQ(constants[operands[1]], 2U);
    EXPECT_EQ(constants[operands[2]], 0x6148U);
  }
  EXPECT_EQ(barriers, 1U);
}

KernelText subgroup_kernel(int size) {
  KernelText kernel;
  kernel.subgroup = size;
  kernel.parameters = "%in: buffer<f32, read, address>, %out: buffer<f32, write, address>, "
                      "%ints: buffer<u32, write, address>";
  kernel.body = index_text + R"(  %lane = kernel.lane : i32
  %x = kernel.load %in, %lane : f32
  %s = kernel.shuffle_xor %x {mask = 1} : f32
  %a = kernel.subgroup_reduce %s {function = add} : f32
  %b = kernel.subgroup_reduce %a {function = min} : f32
  %c = kernel.subgroup_reduce %b {function = max} : f32
  kernel.store %c, %out, %i
  %u = kernel.cast %lane : u32
  %v = kernel.subgroup_reduce %u {function = max} : u32
  kernel.store %v, %ints, %i
)";
  return kernel;
}

TEST(SpirvEmit, SubgroupOperationsValidateAndNeedTheProfile) {
  expect_compiles(subgroup_kernel(8), profile_named("lavapipe"));
  expect_compiles(subgroup_kernel(32), profile_named("nvidia"));
  EXPECT_THAT(compile_error(subgroup_kernel(32), profile_named("lavapipe")),
              HasSubstr("subgroup_size_maximum"));
  EXPECT_THAT(compile_error(subgroup_kernel(16), profile_named("nvidia")),
              HasSubstr("subgroup_size_minimum"));
  EXPECT_THAT(compile_error(subgroup_kernel(8), profile_named("generic")),
              HasSubstr("subgroup_size_control"));
  TargetProfile no_shuffle = profile_named("lavapipe");
  no_shuffle.subgroup_shuffle = false;
  EXPECT_THAT(compile_error(subgroup_kernel(8), no_shuffle), HasSubstr("subgroup_shuffle"));
}

// --- the module builder and the validator's supplement -----------------------------------------

TEST(ModuleBuilder, InternsTypesAndConstants) {
  ModuleBuilder builder;
  EXPECT_EQ(builder.int_type(32), builder.int_type(32));
  EXPECT_NE(builder.int_type(32), builder.int_type(64));
  EXPECT_EQ(builder.u32_constant(7), builder.u32_constant(7));
  EXPECT_NE(builder.u32_constant(7), builder.float_constant(32, 7));
  const std::array members{builder.int_type(32)};
  const std::array<std::uint32_t, 1> offsets{0};
  EXPECT_NE(builder.block_type(members, offsets), builder.block_type(members, offsets));
}

TEST(ModuleBuilder, StringsAreTerminatedAndPadded) {
  EXPECT_EQ(string_words("abc"), (Words{0x00636261}));
  EXPECT_EQ(string_words("abcd"), (Words{0x64636261, 0}));
  EXPECT_EQ(string_words(""), (Words{0}));
}

TEST(Validate, RefusesPrivateAccessToWorkgroupMemory) {
  auto words = compile(reduction, profile_named("lavapipe"));
  ASSERT_TRUE(words) << words.error().to_string();
  ASSERT_TRUE(check_workgroup_accesses(*words));
  // Take the flag away from the first store that has it alone: spirv-val would accept it.
  for (std::size_t place = 5; place < words->size(); place += (*words)[place] >> 16U)
    if (((*words)[place] & 0xffffU) == static_cast<std::uint32_t>(spv::Op::OpStore) &&
        ((*words)[place] >> 16U) == 4 && (*words)[place + 3] == 0x20) {
      (*words)[place + 3] = 0;
      break;
    }
  const Status status = check_workgroup_accesses(*words);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("private"));
}

TEST(Validate, RefusesABrokenModule) {
  auto words = compile(reduction, profile_named("lavapipe"));
  ASSERT_TRUE(words);
  words->resize(words->size() - 1);  // no OpFunctionEnd
  EXPECT_FALSE(validate_words(*words));
}

/// How many unsigned divisions have a divisor that a select made safe.
std::size_t guarded_divisions(const Words& words) {
  std::set<std::uint32_t> selected;
  std::size_t guarded = 0;
  for (const auto& [op, operands] : instructions(words)) {
    if (op == spv::Op::OpSelect) selected.insert(operands[1]);
    if (op == spv::Op::OpUDiv || op == spv::Op::OpUMod)
      guarded += selected.contains(operands[3]) ? 1U : 0U;
  }
  return guarded;
}

TEST(SpirvEmit, DivisorsAreGuardedUnlessPromised) {
  // A device may do anything for a divisor of zero, so running it proves nothing.
  for (const std::string& type : integers)
    for (const char* op : {"div", "rem"}) {
      const std::string line = "kernel." + std::string(op) + " %x, %y";
      const auto checked = compile(operation_kernel(type, 2, line, type),
                                   profile_named("lavapipe"));
      const auto promised = compile(operation_kernel(type, 2, line + " {index = true}", type),
                                    profile_named("lavapipe"));
      ASSERT_TRUE(checked && promised) << type << op;
      EXPECT_EQ(guarded_divisions(*checked), 1U) << type << op;
      EXPECT_EQ(guarded_divisions(*promised), 0U) << type << op;
      EXPECT_EQ(count_op(*promised, spv::Op::OpUDiv) + count_op(*promised, spv::Op::OpUMod), 1U);
      EXPECT_EQ(count_op(*checked, spv::Op::OpSDiv) + count_op(*checked, spv::Op::OpSRem), 0U);
    }
}

TEST(SpirvEmit, IsReproducible) {
  const auto first = compile(reduction, profile_named("lavapipe"));
  const auto second = compile(reduction, profile_named("lavapipe"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_GT(count_op(*first, spv::Op::OpFAdd), 0U);
}

}  // namespace
}  // namespace accy::vulkan
