#include "choir/product.hpp"

#include <algorithm>

#include "choir/bytecode.hpp"

namespace accy::choir {

RevisionRef Revision::dependency(std::string_view name) const {
  for (const Dependency& dependency : metadata_.dependencies)
    if (dependency.name == name) return dependency.revision;
  return {};
}

Status Revision::require_gates(std::span<const SchemaGate> gates) const {
  for (const SchemaGate& gate : gates)
    if (std::find(metadata_.gates.begin(), metadata_.gates.end(), gate) == metadata_.gates.end())
      return fail(ErrorCode::invalid_input, "product of stage " + metadata_.address.stage +
                                                " does not pass gate " + gate.name + " version " +
                                                std::to_string(gate.version));
  return {};
}

Status Revision::require_dependency(std::string_view name, const Revision& revision) const {
  const RevisionRef declared = dependency(name);
  if (!declared)
    return fail(ErrorCode::invalid_input, "product of stage " + metadata_.address.stage +
                                              " declares no input '" + std::string(name) + "'");
  if (declared->address() != revision.address())
    return fail(ErrorCode::invalid_input,
                "product of stage " + metadata_.address.stage + " was made from " +
                    declared->address().content.to_string() + ", not from " +
                    revision.address().content.to_string());
  return {};
}

Digest content_digest(const Module& module) {
  return digest_of(encode(module, {.locations = false, .names = false}));
}

Digest content_digest(const Operation& operation) {
  return digest_of(encode(operation, {.locations = false, .names = false}));
}

Status StageSpec::check(const Module& module) const {
  Diagnostics diagnostics;
  choir::verify(module, diagnostics);
  check_rules(module, diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  return {};
}

void StageSpec::check_rules(const Module& module, Diagnostics& diagnostics) const {
  if (module.stage() != stage)
    diagnostics.report(module.operation(), "module is at stage " + std::string(module.stage()) +
                                               ", not " + std::string(stage));
  const Operation& top = module.operation();
  top.walk([&](const Operation& operation) {
    if (&operation != &top && !legal(operation) && !diagnostics.has(operation))
      diagnostics.report(operation, "is not legal at stage " + std::string(stage));
  });
  if ((diagnostics.empty() || verifies_any) && verify != nullptr) verify(module, diagnostics);
}

Result<Module> StageSpec::read(std::string_view text, std::string_view file,
                               const Registry& registry) const {
  Diagnostics diagnostics;
  Module module = parse_and_verify(text, file, registry, diagnostics);
  const bool has_header = module.operation().attribute("stage") && module.stage() != "unknown";
  if (has_header) check_rules(module, diagnostics);
  if (diagnostics.empty()) return module;
  diagnostics.attach_lines(file, text);
  diagnostics.sort();
  return fail(diagnostics.to_error());
}

namespace {

Result<RevisionRef> freeze(const StageSpec& spec, Module module,
                           std::vector<Dependency> dependencies, ProductKey key,
                           std::vector<Fact> facts) {
  RevisionMetadata metadata{
      .address = {std::string(spec.stage), content_digest(module)},
      .gates = {operation_schema(), spec.schema()},
      .dependencies = std::move(dependencies),
      .key = key,
      .facts = std::move(facts),
  };
  return RevisionRef::adopt(new Revision(std::move(module), std::move(metadata)));
}

}  // namespace

Result<RevisionRef> Draft::seal(std::vector<Dependency> dependencies, ProductKey key,
                                std::vector<Fact> facts) && {
  ACCY_TRY(spec_->check(module_));
  return freeze(*spec_, std::move(module_), std::move(dependencies), key, std::move(facts));
}

Result<RevisionRef> Draft::seal_copy(std::vector<Dependency> dependencies, ProductKey key,
                                     std::vector<Fact> facts) const {
  ACCY_TRY(spec_->check(module_));
  return freeze(*spec_, module_.clone(), std::move(dependencies), key, std::move(facts));
}

Digest request_digest(const ProductRequest& request) {
  return Digester()
      .add(request.stage)
      .add(request.schema_version)
      .add(request.recipe)
      .add(request.predecessor)
      .finish();
}

ProductKey product_key(const ProductRequest& request, std::span<const Fact> facts) {
  Digester digester;
  digester.add(request_digest(request));
  for (const Fact& fact : facts) digester.add(fact.name).add(fact.value);
  return {digester.finish()};
}

RevisionRef MemoryStore::find(const ProductRequest& request, const ProductLookup& lookup) {
  std::vector<RevisionRef> candidates;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = traces_.find(request_digest(request));
    if (found == traces_.end()) return {};
    candidates = found->second;
  }
  for (const RevisionRef& revision : candidates)
    if (std::ranges::all_of(revision->metadata().facts, [&](const Fact& fact) {
          return lookup.value_of(fact.name) == fact.value;
        }))
      return revision;
  return {};
}

void MemoryStore::insert(const ProductRequest& request, const RevisionRef& revision) {
  const std::scoped_lock lock(mutex_);
  traces_[request_digest(request)].push_back(revision);
}

std::size_t MemoryStore::size() const {
  const std::scoped_lock lock(mutex_);
  std::size_t count = 0;
  for (const auto& [digest, revisions] : traces_) count += revisions.size();
  return count;
}

}  // namespace accy::choir
