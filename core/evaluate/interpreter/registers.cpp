#include "evaluate/interpreter/registers.hpp"

#include <algorithm>
#include <unordered_map>

namespace accy::evaluate::interpreter {
namespace {

constexpr std::size_t register_alignment = 64;

bool has_own_register(const choir::Operation& operation) {
  namespace op = kernel::op;
  const std::string_view name = operation.name();
  return name != op::shared && name != op::constant && name != op::local_id &&
         name != op::workgroup_id && name != op::lane;
}

/// The operation of `block` that is `user` or contains it.
const choir::Operation* ancestor_in(const choir::Block& block, const choir::Operation* user) {
  while (user->block() != &block) user = user->parent();
  return user;
}

}  // namespace

Register RegisterFile::allocate(std::uint32_t lane_bytes) {
  std::vector<Register>& list = free_[lane_bytes];
  if (list.empty()) return allocate_fresh(lane_bytes);
  const Register place = list.back();
  list.pop_back();
  return place;
}

Register RegisterFile::allocate_fresh(std::uint32_t lane_bytes) {
  const std::size_t place = size_bytes_;
  const std::size_t size = lane_bytes * lanes_;
  size_bytes_ += (size + register_alignment - 1) / register_alignment * register_alignment;
  // Beyond the limit the program is refused, so the place does not matter.
  return static_cast<Register>(std::min(place, register_bytes_maximum));
}

void RegisterFile::release(Register place, std::uint32_t lane_bytes) {
  free_[lane_bytes].push_back(place);
}

DeathList find_deaths(const choir::Block& block, const std::vector<choir::Operation*>& operations) {
  DeathList deaths(operations.size());
  std::unordered_map<const choir::Operation*, std::size_t> positions;
  for (std::size_t index = 0; index < operations.size(); ++index)
    positions.emplace(operations[index], index);
  for (std::size_t index = 0; index < operations.size(); ++index) {
    if (!has_own_register(*operations[index])) continue;
    for (std::size_t result = 0; result < operations[index]->result_count(); ++result) {
      const choir::Value* value = operations[index]->result(result);
      std::size_t last = index;
      for (const choir::Use* use = value->first_use(); use != nullptr; use = use->next())
        last = std::max(last, positions.at(ancestor_in(block, use->owner())));
      if (!operations[last]->has(choir::Trait::terminator)) deaths[last].push_back(value);
    }
  }
  return deaths;
}

}  // namespace accy::evaluate::interpreter
