#include "targets/vulkan/emit/validate.hpp"

#include <set>
#include <string>

#include <spirv-tools/libspirv.hpp>
#include <spirv/unified1/spirv.hpp11>

namespace accy::vulkan {

namespace {

constexpr std::size_t header_words = 5;

/// Ids of pointers into workgroup memory, in the order of the module.
class WorkgroupPointers {
 public:
  /// Takes note of types, variables and pointers derived from them.
  void observe(spv::Op op, std::span<const std::uint32_t> operands) {
    const auto workgroup = static_cast<std::uint32_t>(spv::StorageClass::Workgroup);
    if (op == spv::Op::OpTypePointer && operands[1] == workgroup) types_.insert(operands[0]);
    const bool gives_pointer = op == spv::Op::OpVariable || op == spv::Op::OpAccessChain ||
                               op == spv::Op::OpInBoundsAccessChain;
    if (gives_pointer && types_.contains(operands[0])) pointers_.insert(operands[1]);
  }
  bool contains(std::uint32_t id) const { return pointers_.contains(id); }

 private:
  std::set<std::uint32_t> types_;
  std::set<std::uint32_t> pointers_;
};

bool is_non_private(std::span<const std::uint32_t> operands, std::size_t flags) {
  const auto bit = static_cast<std::uint32_t>(spv::MemoryAccessMask::NonPrivatePointer);
  return operands.size() > flags && (operands[flags] & bit) != 0;
}

}  // namespace

Status check_workgroup_accesses(std::span<const std::uint32_t> words) {
  WorkgroupPointers pointers;
  std::size_t place = header_words;
  while (place < words.size()) {
    const std::size_t count = words[place] >> 16U;
    if (count == 0 || count > words.size() - place)
      return fail(ErrorCode::internal,
                  "spir-v instruction length is wrong (" + std::to_string(count) + " words at " +
                      std::to_string(place) + " of " + std::to_string(words.size()) + ")");
    const auto op = static_cast<spv::Op>(words[place] & 0xffffU);
    const auto operands = words.subspan(place + 1, count - 1);
    pointers.observe(op, operands);
    const bool is_load = op == spv::Op::OpLoad;
    const bool is_store = op == spv::Op::OpStore;
    if ((is_load && pointers.contains(operands[2]) && !is_non_private(operands, 3)) ||
        (is_store && pointers.contains(operands[0]) && !is_non_private(operands, 2)))
      return fail(ErrorCode::internal, "spir-v access to workgroup memory is private (word " +
                                           std::to_string(place) + ")");
    place += count;
  }
  return {};
}

Status validate_words(std::span<const std::uint32_t> words) {
  std::string messages;
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
  tools.SetMessageConsumer([&messages](spv_message_level_t, const char*,
                                         const spv_position_t& position, const char* text) {
    messages += (messages.empty() ? "" : "; ") + std::string(text) + " (word " +
                std::to_string(position.index) + ")";
  });
  // Names of ids for messages take more than a third of the time.
  spvtools::ValidatorOptions options;
  options.SetFriendlyNames(false);
  if (!tools.Validate(words.data(), words.size(), options))
    return fail(ErrorCode::internal, "spirv-val rejects the emitted module: " + messages);
  return check_workgroup_accesses(words);
}

}  // namespace accy::vulkan
