#include "preparation/prepared_module.hpp"

namespace accy::preparation {

Result<BackendPreparedModule> BackendPreparedModule::create(Revisions revisions) {
  for (std::size_t index = 0; index < stage_count; ++index) {
    const choir::StageSpec& spec = stage_spec(static_cast<Stage>(index));
    const choir::RevisionRef& revision = revisions[index];
    if (!revision)
      return fail(ErrorCode::invalid_input,
                  "the " + std::string(spec.stage) + " product is missing");
    if (revision->address().stage != spec.stage)
      return fail(ErrorCode::invalid_input, "the " + std::string(spec.stage) +
                                                " product is of stage " +
                                                revision->address().stage);
    const std::vector<choir::SchemaGate> gates{choir::operation_schema(), spec.schema()};
    ACCY_TRY(revision->require_gates(gates));
    if (index != 0) ACCY_TRY(revision->require_dependency("source", *revisions[index - 1]));
  }
  return BackendPreparedModule(std::move(revisions));
}

Result<BackendPreparedModule> BackendPreparedModule::from(const target::TargetJob& job) {
  Revisions revisions;
  choir::RevisionRef revision = job.revision();
  for (std::size_t index = stage_count; index-- > 0;) {
    revisions[index] = revision;
    if (index != 0 && revision) revision = revision->dependency("source");
  }
  return create(std::move(revisions));
}

std::array<choir::ProductKey, stage_count> BackendPreparedModule::product_keys() const {
  std::array<choir::ProductKey, stage_count> keys;
  for (std::size_t index = 0; index < stage_count; ++index)
    keys[index] = revisions_[index]->metadata().key;
  return keys;
}

std::vector<ProductEdge> BackendPreparedModule::product_graph() const {
  const auto keys = product_keys();
  std::vector<ProductEdge> edges;
  for (std::size_t index = 1; index < stage_count; ++index)
    edges.push_back({keys[index], keys[index - 1]});
  return edges;
}

}  // namespace accy::preparation
