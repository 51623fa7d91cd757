#include "targets/cuda/emit/emit.hpp"

#include <charconv>
#include <cstring>
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"
#include "targets/cuda/profile/profiles.hpp"

namespace accy::cuda {

namespace {

/// The lowest PTX ISA that knows the architecture; the profile's own for one that is not built in.
std::int64_t floor_version(const TracedProfile& profile) {
  for (const TargetProfile& known : profiles())
    if (known.architecture == profile.read(&TargetProfile::architecture)) return known.code_version;
  return profile.read(&TargetProfile::code_version);
}

/// The `.param` type of a scalar: its size in the argument block.
std::string_view parameter_type(ElementType element) {
  switch (size_bytes(element)) {
    case 1: return element == ElementType::boolean ? ".u32" : is_signed(element) ? ".s8" : ".u8";
    case 2: return is_signed(element) ? ".s16" : ".u16";
    case 4: return is_float(element) ? ".f32" : ".b32";
    default: return is_float(element) ? ".f64" : ".b64";
  }
}

void emit_buffer_parameter(Emitter& emitter, const choir::Value* parameter,
                           const kernel::BufferType& type) {
  PtxWriter& writer = emitter.writer();
  const std::string name = writer.add_parameter(".u64");
  const Register generic = writer.value(RegisterClass::b64, "ld.param.u64", {address(name)});
  Memory memory;
  memory.base = writer.value(RegisterClass::b64, "cvta.to.global.u64", {generic});
  memory.element = type.element;
  memory.read_only = type.access == kernel::Access::read;
  emitter.define_memory(parameter, memory);
}

void emit_scalar_parameter(Emitter& emitter, const choir::Value* parameter, ElementType element) {
  PtxWriter& writer = emitter.writer();
  const std::string_view type = parameter_type(element);
  const std::string name = writer.add_parameter(type);
  const RegisterClass kind =
      element == ElementType::boolean ? RegisterClass::b32 : class_of(element);
  Register value = writer.value(kind, fmt::format("ld.param{}", type), {address(name)});
  if (element == ElementType::boolean)
    value = writer.value(RegisterClass::predicate, "setp.ne.u32", {value, 0});
  emitter.define(parameter, value);
}

Status emit_parameters(Emitter& emitter, const choir::Operation& function) {
  const choir::Block& body = function.body();
  for (std::size_t i = 0; i < body.argument_count(); ++i) {
    const choir::Value* parameter = body.argument(i);
    if (const auto buffer = kernel::as_buffer(parameter->type())) {
      if (buffer->binding != kernel::Binding::address)
        return unsupported(function,
                           fmt::format("parameter {} is bound as {}; this target takes address", i,
                                       kernel::to_string(buffer->binding)));
      emit_buffer_parameter(emitter, parameter, *buffer);
    } else if (const auto scalar = kernel::as_scalar(parameter->type())) {
      emit_scalar_parameter(emitter, parameter, *scalar);
    } else {
      return unsupported(function, fmt::format("parameter {} is no buffer and no scalar", i));
    }
  }
  return {};
}

target::KernelCode make_code(const std::string& text, std::string entry) {
  target::KernelCode code;
  code.format = "ptx";
  code.file_extension = ".ptx";
  code.entry = std::move(entry);
  code.bytes.resize(text.size());
  std::memcpy(code.bytes.data(), text.data(), text.size());
  return code;
}

}  // namespace

Result<int> compute_capability(std::string_view architecture) {
  constexpr std::string_view prefix = "sm_";
  int number = 0;
  if (architecture.starts_with(prefix)) {
    const std::string_view rest = architecture.substr(prefix.size());
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto suffix = static_cast<std::size_t>(rest.data() + rest.size() - parsed.ptr);
    if (parsed.ec == std::errc() && suffix <= 1 && number >= 75) return number;
  }
  return fail(
      ErrorCode::unsupported,
      fmt::format("profile field architecture is '{}' (needs sm_75 or higher)", architecture));
}

std::string entry_name(std::string_view symbol) {
  std::string name = "accy_";
  for (const char character : symbol) {
    const bool legal = (character >= 'a' && character <= 'z') ||
                       (character >= 'A' && character <= 'Z') ||
                       (character >= '0' && character <= '9') || character == '_';
    name += legal ? character : '_';
  }
  return name;
}

Result<target::KernelCode> emit(const choir::Operation& function, const TracedProfile& profile) {
  if (function.name() != kernel::op::func)
    return unsupported(function, "only a kernel.func becomes PTX");
  ACCY_TRY_ASSIGN(const int capability,
                  compute_capability(profile.read(&TargetProfile::architecture)));
  PtxWriter writer(entry_name(function.symbol()), profile.read(&TargetProfile::architecture),
                   floor_version(profile));
  writer.set_workgroup(kernel::workgroup_size(function));
  Emitter emitter(function, writer, capability);
  ACCY_TRY(emit_parameters(emitter, function));
  ACCY_TRY(emitter.emit_block(function.body()));
  writer.instruction("ret");
  if (writer.version() > profile.read(&TargetProfile::code_version))
    return unsupported(
        function, fmt::format("kernel needs PTX {}.{} (profile field code_version allows {}.{})",
                              writer.version() / 10, writer.version() % 10,
                              profile.read(&TargetProfile::code_version) / 10,
                              profile.read(&TargetProfile::code_version) % 10));
  return make_code(writer.finish(), writer.entry());
}

}  // namespace accy::cuda
