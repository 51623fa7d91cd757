// PTX from kernel programs: every operation on every type it takes, for every built-in profile;
// rules about the text; and, where ptxas exists, that it assembles without a warning or a spill.
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dialect/kernel/kernel.hpp"
#include "support/ptx_kernels.hpp"
#include "support/ptxas.hpp"
#include "targets/cuda/emit/backend.hpp"
#include "targets/cuda/emit/emit.hpp"
#include "targets/cuda/emit/emitter.hpp"
#include "targets/cuda/profile/profiles.hpp"

namespace accy::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using test::access_widths;
using test::all_types;
using test::Applications;
using test::move_kernel;

const TargetProfile& profile_named(std::string_view name) { return test::cuda_profile(name); }

std::string program(const std::string& parameters, const std::string& body,
                    const test::KernelOptions& options = {}) {
  return test::kernel_program(parameters, body, options);
}

Result<std::string> compile(const std::string& text, const TargetProfile& profile) {
  return test::compile_to_ptx(text, profile);
}

std::string compile_or_fail(const std::string& text, const TargetProfile& profile) {
  auto compiled = compile(text, profile);
  if (compiled) return *compiled;
  ADD_FAILURE() << compiled.error().to_string() << "\n" << text;
  return {};
}

/// PTX of all the programs as one module, to assemble at once.
std::string joined(const std::vector<std::string>& texts, const TargetProfile& profile) {
  std::string module;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string text = texts[i];
    text.replace(text.find("@test"), 5, fmt::format("@test_{}", i));
    const std::string ptx = compile_or_fail(text, profile);
    module += i == 0 ? ptx : ptx.substr(std::min(ptx.find(".visible"), ptx.size()));
  }
  return module;
}

/// Emits for every profile and assembles each.
void expect_assembles(const std::vector<std::string>& texts) {
  const auto ptxas = test::find_ptxas();
  for (const TargetProfile& profile : profiles()) {
    SCOPED_TRACE(profile.name);
    const std::string ptx = joined(texts, profile);
    if (!ptxas) continue;
    const test::PtxasReport report = test::assemble(*ptxas, ptx, profile.architecture);
    EXPECT_TRUE(report.clean()) << report.output << "\n" << ptx;
    EXPECT_GT(report.registers, 0) << report.output;
  }
  if (!ptxas) GTEST_SKIP() << "ptxas is neither in PATH nor in /usr/local/cuda/bin";
}

void expect_assembles(const std::string& text) { expect_assembles(std::vector{text}); }

std::string arithmetic_text(const std::string& type, bool integer, bool exact) {
  Applications kernel(type);
  for (const char* name : {"add", "sub", "mul", "div", "rem", "min", "max"})
    kernel.apply(fmt::format("kernel.{} %a, %b", name));
  for (const char* name : {"neg", "abs"}) kernel.apply(fmt::format("kernel.{} %a", name));
  for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge"})
    kernel.apply(fmt::format("kernel.compare %a, %b {{predicate = {}}}", name), "bool");
  if (integer) {
    for (const char* name : {"and", "or", "xor", "shl", "shr"})
      kernel.apply(fmt::format("kernel.{} %a, %b", name));
    kernel.apply("kernel.not %a");
    kernel.apply("kernel.div %a, %b {index = true}").apply("kernel.rem %a, %b {index = true}");
  } else {
    for (const char* name : {"sqrt", "floor", "ceil", "round", "trunc"})
      kernel.apply(fmt::format("kernel.{} %a", name));
    if (!exact) kernel.apply("kernel.fma %a, %b, %a");
  }
  return kernel.text({.exact = exact});
}

class IntegerTypes : public ::testing::TestWithParam<const char*> {};

TEST_P(IntegerTypes, ArithmeticAssembles) {
  expect_assembles(arithmetic_text(GetParam(), true, false));
}

INSTANTIATE_TEST_SUITE_P(Ptx, IntegerTypes,
                         ::testing::Values("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"));

class FloatTypes : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(FloatTypes, ArithmeticAssembles) {
  const auto& [type, exact] = GetParam();
  expect_assembles(arithmetic_text(type, false, exact));
}

INSTANTIATE_TEST_SUITE_P(Ptx, FloatTypes,
                         ::testing::Combine(::testing::Values("f32", "f64"), ::testing::Bool()));

TEST(PtxEmit, BooleanOperationsAssemble) {
  Applications kernel("bool");
  for (const char* name : {"and", "or", "xor"}) kernel.apply(fmt::format("kernel.{} %a, %b", name));
  kernel.apply("kernel.not %a").apply("kernel.select %a, %b, %a");
  kernel.apply("kernel.compare %a, %b {predicate = eq}");
  kernel.apply("kernel.compare %a, %b {predicate = ne}");
  expect_assembles(kernel.text());
}

class AllTypes : public ::testing::TestWithParam<const char*> {};

TEST_P(AllTypes, CastsSelectsAndMovesAssemble) {
  Applications casts(GetParam());
  for (const char* to : all_types) casts.apply("kernel.cast %a", to);
  Applications select(GetParam());
  select.apply("kernel.compare %i, %i {predicate = lt}", "bool").apply("kernel.select %r0, %a, %b");
  std::vector<std::string> texts{casts.text(), select.text()};
  for (const int width : access_widths(GetParam())) texts.push_back(move_kernel(GetParam(), width));
  expect_assembles(texts);
}

INSTANTIATE_TEST_SUITE_P(Ptx, AllTypes, ::testing::ValuesIn(all_types));

TEST(PtxEmit, BitcastsAssemble) {
  const std::vector<std::vector<std::string>> groups{
      {"i8", "u8"}, {"i16", "u16"}, {"i32", "u32", "f32"}, {"i64", "u64", "f64"}};
  std::vector<std::string> texts;
  for (const auto& group : groups)
    for (const std::string& from : group) {
      Applications kernel(from);
      for (const std::string& to : group) kernel.apply("kernel.bitcast %a", to);
      texts.push_back(kernel.text());
    }
  expect_assembles(texts);
}

TEST(PtxEmit, MathAssembles) {
  Applications kernel("f32");
  for (const char* name : {"exp", "log", "tanh", "erf", "sin", "cos"})
    kernel.apply(fmt::format("kernel.{} %a", name));
  expect_assembles({kernel.text(), kernel.text({.exact = true})});
}

std::string subgroup_text(const std::string& type) {
  Applications kernel(type);
  for (const char* name : {"add", "min", "max"})
    kernel.apply(fmt::format("kernel.subgroup_reduce %a {{function = {}}}", name));
  kernel.apply("kernel.shuffle_xor %b {mask = 5}").apply("kernel.lane", "i32");
  return kernel.text({.subgroup = 32});
}

TEST(PtxEmit, SubgroupOperationsAssemble) {
  expect_assembles({subgroup_text("i32"), subgroup_text("u32"), subgroup_text("f32")});
}

const char* const loop_body =
    "  %zero = kernel.constant {value = 0} : i32\n"
    "  %one = kernel.constant {value = 1} : i32\n"
    "  %x = kernel.constant {value = 1.0} : f32\n"
    "  %y = kernel.constant {value = 2.0} : f32\n"
    "  %odd = kernel.compare %n, %one {predicate = gt} : bool\n"
    "  %p, %q = kernel.for %zero, %n, %step, %x, %y : f32, f32 (%i: i32, %a: f32, %b: f32) {\n"
    "    %s = kernel.add %a, %b : f32\n"
    "    %inner = kernel.for %i, %n, %one, %s : f32 (%j: i32, %c: f32) {\n"
    "      %d = kernel.mul %c, %b : f32\n"
    "      kernel.yield %d\n"
    "    }\n"
    "    %t = kernel.if %odd : f32 () {\n"
    "      %v = kernel.load %in, %i : f32\n"
    "      %w = kernel.add %v, %inner : f32\n"
    "      kernel.yield %w\n"
    "    } () {\n"
    "      kernel.yield %inner\n"
    "    }\n"
    "    kernel.yield %b, %t\n"
    "  }\n"
    "  kernel.if %odd () {\n"
    "    kernel.store %p, %out, %zero\n"
    "    kernel.yield\n"
    "  } () {\n"
    "    kernel.yield\n"
    "  }\n"
    "  kernel.store %q, %out, %one\n";

std::string loop_text() {
  return program("%in: buffer<f32, read, address>, %out: buffer<f32, write, address>, %n: i32, "
                 "%step: i32",
                 loop_body);
}

TEST(PtxEmit, ControlFlowAssembles) { expect_assembles(loop_text()); }

TEST(PtxEmit, ScalarParametersOfEveryTypeAssemble) {
  std::string parameters;
  std::string body = "  %zero = kernel.constant {value = 0} : i32\n";
  int count = 0;
  for (const std::string type : all_types) {
    if (type == "f16" || type == "bf16") continue;  // the dialect has no such scalar
    parameters += fmt::format("{0}%s{1}: {2}, %out{1}: buffer<{2}, write, address>",
                              count == 0 ? "" : ", ", count, type);
    body += fmt::format("  kernel.store %s{0}, %out{0}, %zero\n", count);
    ++count;
  }
  expect_assembles(program(parameters, body));
}

TEST(PtxEmit, IdsAndConstantsAssemble) {
  std::string body;
  for (int axis = 0; axis < 3; ++axis)
    body += fmt::format("  %g{0} = kernel.workgroup_id {{axis = {0}}} : i32\n"
                        "  %l{0} = kernel.local_id {{axis = {0}}} : i32\n"
                        "  kernel.store %g{0}, %out, %l{0}\n",
                        axis);
  for (const char* constant :
       {"{value = -128} : i8", "{value = 255} : u8", "{value = -32768} : i16",
        "{value = 65535} : u16", "{value = -2147483648} : i32", "{value = 4294967295} : u32",
        "{value = -9223372036854775808} : i64", "{value = 9223372036854775807} : u64",
        "{value = true} : bool", "{value = 0.1} : f32", "{value = 0.1} : f64"})
    body += fmt::format("  %c{} = kernel.constant {}\n", body.size(), constant);
  expect_assembles(program("%out: buffer<i32, write, address>", body, {.workgroup = "[8, 4, 2]"}));
}

TEST(PtxEmit, EveryOperationIsEmittedOrLegalizedAway) {
  for (const choir::OperationDefinition* definition : kernel::operation_definitions()) {
    const std::string_view name = definition->name;
    const bool structural =
        name == kernel::op::func || name == kernel::op::return_op || name == kernel::op::yield;
    const bool expanded = name == kernel::op::tanh || name == kernel::op::erf ||
                          name == kernel::op::sin || name == kernel::op::cos;
    EXPECT_EQ(operation_emitter(name) == nullptr, structural || expanded) << name;
  }
}

// --- the text -------------------------------------------------------------------------------

TEST(PtxText, HeaderNamesTheFloorOfEachArchitecture) {
  const std::vector<std::pair<std::string, std::string>> floors{
      {"sm_75", "6.3"}, {"sm_80", "7.0"},  {"sm_86", "7.1"},  {"sm_89", "7.8"},
      {"sm_90", "7.8"}, {"sm_90a", "8.0"}, {"sm_100", "8.6"}, {"sm_120", "8.7"}};
  ASSERT_EQ(profiles().size(), floors.size());
  for (const auto& [name, version] : floors) {
    const std::string ptx =
        compile_or_fail(arithmetic_text("f32", false, false), profile_named(name));
    EXPECT_EQ(ptx.substr(0, ptx.find(".visible")),
              fmt::format(".version {}\n.target {}\n.address_size 64\n\n", version, name));
  }
}

TEST(PtxText, WorkgroupSizeIsRequired) {
  const std::string ptx =
      compile_or_fail(program("", "", {.workgroup = "[8, 4, 2]"}), profile_named("sm_80"));
  EXPECT_THAT(ptx, HasSubstr(".reqntid 8, 4, 2\n"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry accy_test()"));
}

TEST(PtxText, ReadBuffersUseTheReadOnlyPathAndOthersDoNot) {
  const std::string ptx = compile_or_fail(move_kernel("f32", 4), profile_named("sm_80"));
  EXPECT_THAT(ptx, HasSubstr("ld.global.nc.v4.f32"));
  EXPECT_THAT(ptx, HasSubstr("ld.global.v4.f32"));
  EXPECT_THAT(ptx, HasSubstr("ld.shared.v4.f32"));
  EXPECT_THAT(ptx, HasSubstr("bar.sync 0;"));
  EXPECT_THAT(ptx, HasSubstr(".shared .align 16 .b8 accy_test_shared_0[2048];"));
}

TEST(PtxText, ConstantPartOfAnIndexIsTheAddressOffset) {
  const std::string ptx = compile_or_fail(move_kernel("f32", 4), profile_named("sm_80"));
  EXPECT_THAT(ptx, HasSubstr("+16]"));  // the next vector of four
}

TEST(PtxText, AccessesThatDifferByAConstantShareTheirAddress) {
  std::string body = "  %l = kernel.local_id {axis = 0} : i32\n"
                     "  %seven = kernel.constant {value = 7} : i32\n";
  for (int i = 0; i < 4; ++i)  // in[(l + i) * 7 + l]
    body += fmt::format(
        "  %c{0} = kernel.constant {{value = {0}}} : i32\n  %r{0} = kernel.add %l, %c{0} : i32\n"
        "  %m{0} = kernel.mul %r{0}, %seven : i32\n  %i{0} = kernel.add %m{0}, %l : i32\n"
        "  %x{0} = kernel.load %in, %i{0} : f32\n  kernel.store %x{0}, %out, %r{0}\n",
        i);
  const std::string ptx = compile_or_fail(
      program("%in: buffer<f32, read, address>, %out: buffer<f32, write, address>", body),
      profile_named("sm_80"));
  for (const char* offset : {"+28]", "+56]", "+84]"}) EXPECT_THAT(ptx, HasSubstr(offset));
  std::size_t count = 0;
  for (auto at = ptx.find("mul.wide"); at != std::string::npos; at = ptx.find("mul.wide", at + 1))
    ++count;
  EXPECT_LE(count, 4U) << ptx;  // the first without an offset and the shared one, for each buffer
}

TEST(PtxText, ExactAndFastDifferInDivisionAndSignOperations) {
  const TargetProfile& profile = profile_named("sm_80");
  const std::string fast = compile_or_fail(arithmetic_text("f32", false, false), profile);
  const std::string exact = compile_or_fail(arithmetic_text("f32", false, true), profile);
  EXPECT_THAT(fast, HasSubstr("div.full.f32"));
  EXPECT_THAT(fast, Not(HasSubstr("div.rn.f32")));
  EXPECT_THAT(exact, HasSubstr("div.rn.f32"));
  EXPECT_THAT(exact, Not(HasSubstr("div.full.f32")));
  EXPECT_THAT(exact, HasSubstr("sqrt.rn.f32"));
  EXPECT_THAT(exact, Not(HasSubstr("fma")));
  EXPECT_THAT(exact, Not(HasSubstr("approx")));
  EXPECT_THAT(exact, Not(HasSubstr("neg.f32")));
}

TEST(PtxText, ExactMathHasNoApproximationAndNoContraction) {
  Applications kernel("f32");
  for (const char* name : {"exp", "log", "tanh", "erf", "sin", "cos"})
    kernel.apply(fmt::format("kernel.{} %a", name));
  const std::string ptx = compile_or_fail(kernel.text({.exact = true}), profile_named("sm_80"));
  EXPECT_THAT(ptx, Not(HasSubstr("approx")));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
}

TEST(PtxText, NanPropagatesInMinimumAndMaximum) {
  const std::string text = arithmetic_text("f32", false, false);
  EXPECT_THAT(compile_or_fail(text, profile_named("sm_80")), HasSubstr("min.NaN.f32"));
  const std::string old = compile_or_fail(text, profile_named("sm_75"));
  EXPECT_THAT(old, Not(HasSubstr(".NaN")));
  EXPECT_THAT(old, HasSubstr("setp.nan.f32"));
}

TEST(PtxText, ConstantDivisorsNeedNoGuard) {
  Applications kernel("i32");
  kernel.apply("kernel.constant {value = 7}").apply("kernel.div %a, %r0");
  const std::string bare = compile_or_fail(kernel.text(), profile_named("sm_80"));
  EXPECT_THAT(bare, Not(HasSubstr("selp")));
  Applications guarded("i32");
  guarded.apply("kernel.constant {value = -1}").apply("kernel.div %a, %r0");
  EXPECT_THAT(compile_or_fail(guarded.text(), profile_named("sm_80")), HasSubstr("selp"));
}

TEST(PtxText, UnprovedLoopEndIsComparedWithoutOverflow) {
  // A step that is no constant: index + step may pass the end of i32.
  EXPECT_THAT(compile_or_fail(loop_text(), profile_named("sm_80")), HasSubstr("setp.le.u32"));
}

TEST(PtxText, SameProgramGivesTheSameBytes) {
  const TargetProfile& profile = profile_named("sm_90a");
  EXPECT_EQ(compile_or_fail(loop_text(), profile), compile_or_fail(loop_text(), profile));
}

TEST(PtxText, EntryNameHoldsOnlyLegalCharacters) {
  EXPECT_EQ(entry_name("add"), "accy_add");  // `add` alone is a PTX keyword
  EXPECT_EQ(entry_name("a.b-c/1"), "accy_a_b_c_1");
}

// --- refusals -------------------------------------------------------------------------------

void expect_refused(const std::string& text, const TargetProfile& profile,
                    const std::string& message) {
  const auto compiled = compile(text, profile);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, ErrorCode::unsupported) << compiled.error().to_string();
  EXPECT_THAT(compiled.error().to_string(), HasSubstr(message));
}

TEST(PtxRefusal, LimitsNameFieldAndValue) {
  const TargetProfile& profile = profile_named("sm_80");
  expect_refused(program("", "", {.workgroup = "[2048, 1, 1]"}), profile,
                 "workgroup axis 0 is 2048 (profile field workgroup_size_maximum allows 1024)");
  expect_refused(program("", "", {.workgroup = "[64, 32, 1]"}), profile,
                 "workgroup is 2048 (profile field workgroup_invocations_maximum allows 1024)");
  expect_refused(program("", "", {.subgroup = 16}), profile, "subgroup size is 16");
  expect_refused(program("", "  %m = kernel.shared : shared<f32, 12289>\n"), profile,
                 "shared_memory_bytes allows 49152");
}

TEST(PtxRefusal, MissingTypeNamesTheField) {
  TargetProfile profile = profile_named("sm_80");
  profile.arithmetic_f64 = false;
  expect_refused(arithmetic_text("f64", false, false), profile, "arithmetic_f64");
}

TEST(PtxRefusal, DoubleExpAndLogNameTheOperation) {
  for (const char* name : {"exp", "log", "tanh", "erf", "sin", "cos"}) {
    Applications kernel("f64");
    kernel.apply(fmt::format("kernel.{} %a", name));
    expect_refused(kernel.text(), profile_named("sm_80"), std::string("kernel.") + name);
  }
}

TEST(PtxRefusal, ProfileMustHoldANewerArchitecture) {
  TargetProfile profile = profile_named("sm_80");
  for (const char* architecture : {"", "sm_", "sm_70", "gfx90a", "sm_90aa"}) {
    profile.architecture = architecture;
    expect_refused(program("", ""), profile,
                   fmt::format("profile field architecture is '{}' (needs sm_75", architecture));
  }
  EXPECT_EQ(*compute_capability("sm_103a"), 103);
}

TEST(PtxRefusal, ProfileMustAllowTheVersionThatTheKernelNeeds) {
  TargetProfile profile = profile_named("sm_80");
  profile.code_version = 40;
  expect_refused(program("", ""), profile, "(profile field code_version allows 4.0)");
}

TEST(PtxRefusal, TexelBindingIsRefused) {
  expect_refused(program("%in: buffer<f32, read, texel>", ""), profile_named("sm_80"), "texel");
}

// --- validation -----------------------------------------------------------------------------

target::KernelCode code_of(const std::string& text) {
  target::KernelCode code{"ptx", ".ptx", "accy_test", {}};
  for (const char character : text) code.bytes.push_back(static_cast<std::byte>(character));
  return code;
}

TEST(PtxValidation, EachRuleFires) {
  const TargetProfile& profile = profile_named("sm_80");
  const std::string good = compile_or_fail(program("", ""), profile);
  ASSERT_TRUE(backend().validate(code_of(good), profile));
  const auto with = [&](const std::string& line) {
    std::string text = good;
    return code_of(text.insert(text.find("  ret;"), "  " + line + "\n"));
  };
  EXPECT_TRUE(backend().validate(with("add.rn.f32 %f0, %f1, %f2;"), profile));
  for (const char* line :
       {"add.f32 %f0, %f1, %f2;", "@%p0 mul.f32 %f0, %f1, %f2;", "fma.f64 %g0, %g1, %g2, %g3;",
        "div.f32 %f0, %f1, %f2;", "sqrt.f32 %f0, %f1;", "add.rn.ftz.f32 %f0, %f1, %f2;",
        "cvt.f16.f32 %h0, %f0;", "cvt.f32.s32 %f0, %r0;", "ld.f32 %f0, [%d0];"})
    EXPECT_FALSE(backend().validate(with(line), profile)) << line;
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return code_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_FALSE(backend().validate(replaced("7.0", "7.1"), profile));
  EXPECT_FALSE(backend().validate(replaced("sm_80", "sm_75"), profile));
  EXPECT_FALSE(backend().validate(replaced("accy_test", "accy_other"), profile));
  EXPECT_FALSE(backend().validate(code_of(""), profile));
}

// --- profiles -------------------------------------------------------------------------------

TEST(CudaProfiles, HighestCompatibleIsChosen) {
  const auto name_for = [](int major, int minor, std::int64_t ptx) -> std::string {
    const TargetProfile* profile = profile_for(major, minor, ptx);
    return profile == nullptr ? "none" : profile->name;
  };
  EXPECT_EQ(profile_for(9, 0)->name, "sm_90a");
  EXPECT_EQ(name_for(7, 5, 90), "sm_75");
  EXPECT_EQ(name_for(8, 0, 90), "sm_80");
  EXPECT_EQ(name_for(8, 7, 90), "sm_86");
  EXPECT_EQ(name_for(8, 9, 90), "sm_89");
  EXPECT_EQ(name_for(9, 0, 78), "sm_90");  // a driver of CUDA 11.8
  EXPECT_EQ(name_for(9, 0, 77), "sm_86");
  EXPECT_EQ(name_for(10, 3, 90), "sm_100");
  EXPECT_EQ(name_for(12, 1, 90), "sm_120");
  EXPECT_EQ(name_for(12, 1, 63), "sm_75");
  EXPECT_EQ(name_for(7, 0, 90), "none");
  EXPECT_EQ(name_for(9, 0, 60), "none");
}

TEST(CudaProfiles, DriverVersionGivesThePtxVersion) {
  EXPECT_EQ(ptx_version_of_driver(9020), 0);
  EXPECT_EQ(ptx_version_of_driver(10000), 63);
  EXPECT_EQ(ptx_version_of_driver(11080), 78);
  EXPECT_EQ(ptx_version_of_driver(12040), 84);
  EXPECT_EQ(ptx_version_of_driver(12060), 85);  // 8.6 came with 12.7
  EXPECT_EQ(ptx_version_of_driver(13000), 90);
  EXPECT_EQ(ptx_version_of_driver(14000), 91);
}

}  // namespace
}  // namespace accy::cuda
