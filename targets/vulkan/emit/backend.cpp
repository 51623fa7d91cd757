#include "targets/vulkan/emit/backend.hpp"

#include <string>

#include "targets/vulkan/emit/emitter.hpp"
#include "targets/vulkan/emit/validate.hpp"
#include "targets/vulkan/legalize/legalize.hpp"
#include "targets/vulkan/profile/profiles.hpp"

namespace accy::vulkan {

namespace {

Result<target::KernelCode> emit(const choir::Operation& function, const TracedProfile& profile) {
  Emitter emitter(function, profile);
  ACCY_TRY_ASSIGN(const Words words, emitter.run());
  target::KernelCode code;
  code.format = "spirv";
  code.file_extension = ".spv";
  code.entry = std::string(function.symbol());
  code.bytes.reserve(words.size() * sizeof(std::uint32_t));
  for (const std::uint32_t word : words)
    for (std::uint32_t shift = 0; shift < 32; shift += 8)
      code.bytes.push_back(static_cast<std::byte>(word >> shift & 0xffU));
  return code;
}

Status validate(const target::KernelCode& code, const TracedProfile&) {
  if (code.format != "spirv" || code.bytes.size() % sizeof(std::uint32_t) != 0)
    return fail(ErrorCode::internal, "not spir-v words (format " + code.format + ", " +
                                         std::to_string(code.bytes.size()) + " bytes)");
  Words words(code.bytes.size() / sizeof(std::uint32_t), 0);
  for (std::size_t index = 0; index < code.bytes.size(); ++index)
    words[index / 4] |= static_cast<std::uint32_t>(code.bytes[index]) << (index % 4 * 8);
  return validate_words(words);
}

}  // namespace

const target::Backend& backend() {
  static const target::Backend backend{"vulkan", profiles, legalize, emit, validate};
  return backend;
}

}  // namespace accy::vulkan
