#include "choir/product.hpp"

#include <algorithm>

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
  return digest_of(print(module, {.locations = false, .names = false}));
}

Status StageSpec::check(const Module& module) const {
  Diagnostics diagnostics;
  choir::verify(module, diagnostics);
  if (module.stage() != stage)
    diagnostics.report(module.operation(), "module is at stage " + std::string(module.stage()) +
                                               ", not " + std::string(stage));
  const Operation& top = module.operation();
  top.walk([&](const Operation& operation) {
    if (&operation != &top && !legal(operation))
      diagnostics.report(operation, "is not legal at stage " + std::string(stage));
  });
  if (diagnostics.empty() && verify != nullptr) verify(module, diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  return {};
}

Result<RevisionRef> Draft::seal(std::vector<Dependency> dependencies, ProductKey key) && {
  ACCY_TRY(spec_->check(module_));
  RevisionMetadata metadata{
      .address = {std::string(spec_->stage), content_digest(module_)},
      .gates = {operation_schema(), spec_->schema()},
      .dependencies = std::move(dependencies),
      .key = key,
  };
  return RevisionRef::adopt(new Revision(std::move(module_), std::move(metadata)));
}

namespace {

Digest request_digest(const ProductRequest& request) {
  return Digester()
      .add(request.stage)
      .add(request.schema_version)
      .add(request.recipe)
      .add(request.predecessor)
      .finish();
}

}  // namespace

ProductKey product_key(const ProductRequest& request, std::span<const Fact> facts) {
  Digester digester;
  digester.add(request_digest(request));
  for (const Fact& fact : facts) digester.add(fact.name).add(fact.value);
  return {digester.finish()};
}

RevisionRef ProductStore::find(
    const ProductRequest& request,
    const std::function<std::string(std::string_view)>& value_of) const {
  const std::scoped_lock lock(mutex_);
  const auto found = traces_.find(request_digest(request));
  if (found == traces_.end()) return {};
  for (const Trace& trace : found->second) {
    const bool holds = std::all_of(trace.facts.begin(), trace.facts.end(), [&](const Fact& fact) {
      return value_of(fact.name) == fact.value;
    });
    if (holds) return trace.revision;
  }
  return {};
}

void ProductStore::insert(const ProductRequest& request, std::vector<Fact> facts,
                          RevisionRef revision) {
  const std::scoped_lock lock(mutex_);
  traces_[request_digest(request)].push_back({std::move(facts), std::move(revision)});
}

std::size_t ProductStore::size() const {
  const std::scoped_lock lock(mutex_);
  std::size_t count = 0;
  for (const auto& [digest, traces] : traces_) count += traces.size();
  return count;
}

}  // namespace accy::choir
