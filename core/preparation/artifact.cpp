#include "preparation/artifact.hpp"

#include "choir/bytecode.hpp"
#include "dialect/dialects.hpp"
#include "preparation/compiler_identity.hpp"
#include "support/json.hpp"

namespace accy::preparation {

namespace {

using nlohmann::json;

constexpr std::string_view magic = "accy-artifact ";
constexpr std::string_view first_line = "accy-artifact 1\n";
constexpr std::size_t checksum_bytes = 33;
constexpr std::size_t heading_bytes_maximum = std::size_t{1} << 20;

Failure malformed(std::string_view file, std::string_view what) {
  return fail(ErrorCode::invalid_input, std::string(file) + ": " + std::string(what));
}

/// A product is checked when it is read as it was when it was made.
Result<choir::RevisionRef> read_product(Stage stage, std::string_view bytes,
                                        std::string_view file) {
  ACCY_TRY_ASSIGN(choir::Module module, choir::decode(bytes, file, registry()));
  if (module.stage() != to_string(stage))
    return malformed(file, "holds a product of stage " + std::string(module.stage()) + ", not " +
                               std::string(to_string(stage)));
  const choir::ProductKey key{choir::content_digest(module)};
  return choir::Draft(stage_spec(stage), std::move(module)).seal({}, key);
}

/// Bytes of a product, as the heading tells; nothing when it tells no such number.
std::optional<std::size_t> size_in(const json& heading, const char* key, std::size_t most) {
  const auto found = heading.find(key);
  if (found == heading.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto size = found->get<std::uint64_t>();
  return size <= most ? std::optional<std::size_t>(size) : std::nullopt;
}

Result<std::vector<choir::Fact>> read_facts(const json& heading, std::string_view file) {
  std::vector<choir::Fact> facts;
  const auto found = heading.find("facts");
  if (found == heading.end() || !found->is_object())
    return malformed(file, "the artifact's heading has no facts");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return malformed(file, "a fact of the artifact's heading is no text");
    facts.push_back({name, value.get<std::string>()});
  }
  return facts;
}

}  // namespace

bool is_artifact(std::string_view bytes) { return bytes.starts_with(magic); }

std::string format_artifact(const BackendPreparedModule& module, const TargetProfile& profile) {
  json facts = json::object();
  for (const Stage stage : {Stage::kernel, Stage::target})
    for (const choir::Fact& fact : module.stage(stage)->metadata().facts)
      facts[fact.name] = fact.value;
  const std::string contract = choir::encode(module.stage<Stage::contract>().module());
  const std::string target = choir::encode(module.stage<Stage::target>().module());
  const json heading{{"compiler", compiler_identity()},
                     {"profile", json::parse(to_json(profile))},
                     {"facts", facts},
                     {"contract", contract.size()},
                     {"target", target.size()}};
  std::string bytes = std::string(first_line) + heading.dump() + "\n" + contract + target;
  bytes += digest_of(std::string_view(bytes)).to_string() + "\n";
  return bytes;
}

Result<Artifact> parse_artifact(std::string_view bytes, std::string_view file) {
  if (!bytes.starts_with(first_line))
    return malformed(file, "is no artifact of this version (it does not begin with "
                           "'accy-artifact 1')");
  if (bytes.size() < first_line.size() + checksum_bytes)
    return malformed(file, "artifact is cut off");
  const std::string_view body = bytes.substr(0, bytes.size() - checksum_bytes);
  if (bytes.substr(body.size()) != digest_of(body).to_string() + "\n")
    return malformed(file, "artifact is not what was written (its digest differs)");
  const std::string_view rest = body.substr(first_line.size());
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  ACCY_TRY_ASSIGN(const json heading,
                  parse_json(rest.substr(0, end), file, {.bytes = heading_bytes_maximum}));
  if (!heading.is_object()) return malformed(file, "the artifact's heading is no JSON object");
  const std::string_view products = rest.substr(std::min(end + 1, rest.size()));
  const auto contract = size_in(heading, "contract", products.size());
  const auto target = size_in(heading, "target", products.size());
  if (!contract || !target || *contract + *target != products.size())
    return malformed(file, "the artifact's heading does not tell the sizes of its products");
  Artifact artifact;
  ACCY_TRY_ASSIGN(artifact.profile,
                  profile_from_json(heading.value("profile", json()).dump(), file));
  ACCY_TRY_ASSIGN(artifact.facts, read_facts(heading, file));
  ACCY_TRY_ASSIGN(artifact.contract,
                  read_product(Stage::contract, products.substr(0, *contract), file));
  ACCY_TRY_ASSIGN(artifact.target, read_product(Stage::target, products.substr(*contract), file));
  return artifact;
}

Status require_device(const Artifact& artifact, const TargetProfile& device) {
  for (const choir::Fact& fact : artifact.facts) {
    const std::string present = profile_field_json(device, fact.name);
    if (present != fact.value)
      return fail(ErrorCode::unsupported, "the artifact was compiled for " + artifact.profile.id() +
                                              ", whose " + fact.name + " is " + fact.value +
                                              "; that of " + device.id() + " is " + present);
  }
  return {};
}

}  // namespace accy::preparation
