#include "kernel/memory_limits.hpp"

#include "dialect/host/host.hpp"

namespace accy::kernel {

namespace {

Failure exceeds(std::string what, std::int64_t bytes, std::string_view field, std::int64_t limit,
                const TracedProfile& profile, const choir::Operation& at) {
  return fail(ErrorCode::unsupported,
              std::move(what) + " takes " + std::to_string(bytes) + " bytes, more than " +
                  std::string(field) + " of profile " + profile.id() + " (" +
                  std::to_string(limit) + ")",
              at.location().first(), std::string(at.name()));
}

}  // namespace

Status check_memory_limits(const choir::Operation& function, const TracedProfile& profile) {
  const std::int64_t allocation = profile.read(&TargetProfile::allocation_bytes_maximum);
  const std::int64_t buffer = profile.read(&TargetProfile::buffer_bytes_maximum);
  const auto check = [&](std::string what, std::int64_t bytes,
                         const choir::Operation& at) -> Status {
    if (bytes > allocation)
      return exceeds(std::move(what), bytes, "allocation_bytes_maximum", allocation, profile, at);
    if (bytes > buffer)
      return exceeds(std::move(what), bytes, "buffer_bytes_maximum", buffer, profile, at);
    return {};
  };
  const choir::Block& body = function.body();
  std::vector<std::string_view> names = host::strings(function, "inputs");
  for (std::string_view name : host::strings(function, "outputs")) names.push_back(name);
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const auto type = host::BlockType::from(body.argument(index)->type());
    ACCY_TRY(check(std::string(to_string(type->space())) + " '" + std::string(names[index]) + "'",
                   type->size_bytes(), function));
  }
  for (const choir::Operation* operation : body.operations()) {
    if (operation->name() != "host.block" && operation->name() != "host.constant") continue;
    const auto type = host::BlockType::from(operation->result()->type());
    ACCY_TRY(check("a block", type->size_bytes(), *operation));
  }
  for (std::string_view size : {"arena_bytes", "constant_bytes", "workspace_bytes"}) {
    const std::int64_t bytes = host::integer_or(function, size, 0);
    if (bytes > allocation)
      return exceeds(std::string(size), bytes, "allocation_bytes_maximum", allocation, profile,
                     function);
  }
  return {};
}

}  // namespace accy::kernel
