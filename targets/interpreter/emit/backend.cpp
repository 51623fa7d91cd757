#include "targets/interpreter/emit/backend.hpp"

#include "choir/text.hpp"
#include "targets/interpreter/profile/profiles.hpp"
#include "targets/interpreter/profile/registry.hpp"

namespace accy::interpreter {
namespace {

/// Every verified kernel program is legal: the interpreter executes the whole dialect.
Status legalize(choir::Operation&, const TracedProfile&) { return {}; }

/// One module of one function, without locations: equal programs give equal bytes.
Result<target::KernelCode> emit(const choir::Operation& function, const TracedProfile&) {
  const std::string text =
      "choir kernel v1\n" + choir::print(function, {.locations = false, .names = true});
  const auto bytes = std::as_bytes(std::span(text));
  return target::KernelCode{std::string(code_format), std::string(code_extension),
                            std::string(function.symbol()),
                            std::vector<std::byte>(bytes.begin(), bytes.end())};
}

Status validate(const target::KernelCode& code, const TracedProfile&) {
  if (code.format != code_format)
    return fail(ErrorCode::invalid_input,
                "code has format '" + code.format + "', expected " + std::string(code_format));
  const std::string_view text(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
  ACCY_TRY_ASSIGN(const choir::Module module,
                  choir::parse_and_verify(text, "@" + code.entry, kernel_registry()));
  if (module.lookup(code.entry) == nullptr)
    return fail(ErrorCode::invalid_input, "code has no function @" + code.entry);
  return {};
}

}  // namespace

const target::Backend& backend() {
  static constexpr target::Backend instance{"interpreter", profiles, legalize, emit, validate};
  return instance;
}

}  // namespace accy::interpreter
