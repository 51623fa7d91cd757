// SPIR-V from kernel programs: every operation of the dialect on the types it takes validates, exact
// functions keep to the exact subset, and what a profile lacks is refused by the field's name.
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp11>

#include "support/kernel_text.hpp"
#include "target/loop_limit.hpp"
#include "targets/vulkan/emit/backend.hpp"
#include "targets/vulkan/emit/emitter.hpp"
#include "targets/vulkan/emit/validate.hpp"
#include "targets/vulkan/profile/profiles.hpp"

namespace accy::vulkan {
namespace {

using ::testing::HasSubstr;

const TargetProfile& profile_named(std::string_view name) {
  for (const TargetProfile& profile : profiles())
    if (profile.name == name) return profile;
  ADD_FAILURE() << "no profile " << name;
  return profiles().front();
}

Result<Words> compile(const KernelText& kernel, const TargetProfile& profile) {
  ACCY_TRY_ASSIGN(choir::Module module, parse_kernel(kernel));
  choir::Operation& function = *module.body().front();
  ACCY_TRY(backend().legalize(function, profile));
  ACCY_TRY(choir::verify(module));
  ACCY_TRY_ASSIGN(const target::KernelCode code, backend().emit(function, profile));
  ACCY_TRY(backend().validate(code, profile));
  Words words(code.bytes.size() / 4, 0);
  for (std::size_t index = 0; index < code.bytes.size(); ++index)
    words[index / 4] |= static_cast<std::uint32_t>(code.bytes[index]) << (index % 4 * 8);
  return words;
}

void expect_compiles(const KernelText& kernel, const TargetProfile& profile) {
  const auto words = compile(kernel, profile);
  EXPECT_TRUE(words) << profile.name << "\n" << to_text(kernel) << words.error().to_string();
}

std::string compile_error(const KernelText& kernel, const TargetProfile& profile) {
  const auto words = compile(kernel, profile);
  return words ? "compiles" : words.error().message;
}

/// Instructions of a module as {opcode, operands}.
std::vector<std::pair<spv::Op, Words>> instructions(const Words& words) {
  std::vector<std::pair<spv::Op, Words>> list;
  for (std::size_t place = 5; place < words.size(); place += words[place] >> 16U) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(place);
    list.emplace_back(static_cast<spv::Op>(words[place] & 0xffffU),
                      Words(begin + 1, begin + static_cast<std::ptrdiff_t>(words[place] >> 16U)));
  }
  return list;
}

std::size_t count_op(const Words& words, spv::Op op) {
  std::size_t count = 0;
  for (const auto& [found, operands] : instructions(words)) count += found == op ? 1 : 0;
  return count;
}

const std::string index_text = "  %i = kernel.local_id {axis = 0} : i32\n";

/// A kernel that stores `op` of loaded operands: "kernel.add %x, %y : f32" for every type given.
KernelText operation_kernel(const std::string& type, int operands, const std::string& line,
                            const std::string& result, bool exact = false) {
  KernelText kernel;
  kernel.exact = exact;
  kernel.body = index_text;
  const std::array names{"x", "y", "z"};
  for (int index = 0; index < operands; ++index) {
    const std::string name = names[static_cast<std::size_t>(index)];
    kernel.parameters += "%" + name + "s: buffer<" + type + ", read, address>, ";
    kernel.body += "  %" + name + " = kernel.load %" + name + "s, %i : " + type + "\n";
  }
  kernel.parameters += "%out: buffer<" + result + ", write, address>";
  kernel.body += "  %r = " + line + " : " + result + "\n  kernel.store %r, %out, %i\n";
  return kernel;
}

const std::vector<std::string> integers{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const std::vector<std::string> floats{"f32", "f64"};
const std::vector<std::string> all_types{"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                         "u32",  "u64", "f16", "bf16", "f32", "f64"};

std::vector<std::string> with_floats() {
  std::vector<std::string> types = integers;
  types.insert(types.end(), floats.begin(), floats.end());
  return types;
}

TEST(SpirvEmit, EveryOperationIsEmittedOrRemovedByLegalize) {
  const std::set<std::string_view> removed{kernel::op::tanh, kernel::op::erf};
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
  for (const char* op : {"exp", "log", "tanh", "erf", "sqrt", "floor", "ceil"})
    for (const bool exact : {false, true})
      expect_compiles(
          operation_kernel("f32", 1, "kernel." + std::string(op) + " %x", "f32", exact), profile);
  for (const char* op : {"sqrt", "floor", "ceil"})
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
  for (const char* op : {"sqrt", "exp", "log", "tanh", "erf", "neg", "abs", "floor", "ceil"}) {
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
  const std::set<std::uint32_t> allowed{GLSLstd450Floor, GLSLstd450Ceil};
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
    EXPECT_THAT(compile_error(operation_kernel("f64", 2, line, "f64", true),
                              profile_named("lavapipe")),
                HasSubstr("of f64"));
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
  for (const char* op : {"exp", "log", "tanh", "erf"})
    EXPECT_THAT(compile_error(operation_kernel("f64", 1, "kernel." + std::string(op) + " %x",
                                               "f64"),
                              profile_named("lavapipe")),
                HasSubstr("f64"));
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

TEST(SpirvEmit, IsReproducible) {
  const auto first = compile(exact_kernel(), profile_named("lavapipe"));
  const auto second = compile(exact_kernel(), profile_named("lavapipe"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_GT(count_op(*first, spv::Op::OpFMul), 0U);
}

}  // namespace
}  // namespace accy::vulkan
