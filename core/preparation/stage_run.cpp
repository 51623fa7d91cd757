#include "preparation/stage_run.hpp"

#include "dialect/dialects.hpp"
#include "preparation/target_options.hpp"

namespace accy::preparation {

namespace {

/// The present value of a fact: a field of the profile. No facts but those exist.
std::string fact_value(const TargetProfile* profile, std::string_view name) {
  return profile == nullptr ? std::string() : profile_field_json(*profile, name);
}

bool uses_profile(Stage stage) { return stage == Stage::kernel || stage == Stage::target; }

class StageRunner {
 public:
  StageRunner(Stage stage, StageInput input, const PreparationOptions& options,
              choir::Pipeline pipeline)
      : stage_(stage), spec_(stage_spec(stage)), input_(std::move(input)), options_(options),
        manager_(std::move(pipeline)),
        value_of_([&options](std::string_view fact) { return fact_value(options.profile, fact); }) {
    if (options.instrumentation != nullptr) manager_.add_instrumentation(*options.instrumentation);
    manager_.record_decisions(options.decisions != nullptr);
    request_ = {.stage = std::string(spec_.stage),
                .schema_version = spec_.version,
                .recipe = manager_.root().recipe(),
                .predecessor = input_.source->address().content};
    if (stage == Stage::kernel && !options.schedules.empty())
      request_.recipe += ";" + options.schedules.to_string();
    output_.run.stage = request_.stage;
  }

  Result<StageOutput> run(const std::function<void()>& inside) {
    if (options_.store != nullptr)
      output_.product =
          options_.store->find(request_, {spec_, registry(), input_.source, value_of_});
    Status status = output_.product ? reuse() : make(inside);
    if (!status)
      return fail(std::move(status.error()).with("preparing the " + request_.stage + " stage"));
    output_.run.elapsed_ns = choir::ns_between(output_.started_at, output_.finished_at);
    output_.run.operations = choir::count_operations(output_.product->module().operation());
    output_.run.plan_fingerprint = fingerprint(*output_.product);
    return std::move(output_);
  }

 private:
  Status reuse() {
    output_.run.reused = true;
    output_.started_at = options_.now();
    output_.finished_at = options_.now();
    return {};
  }

  /// The draft of this stage: what the stage before left, in place, or a copy of its product.
  choir::WarmDraft take_draft() {
    if (const choir::Nest* nest = first_nest(); stage_ == Stage::target && nest != nullptr) {
      bodies_ = &input_.source->module();
      return {choir::Draft::outline(spec_, *input_.source, nest->anchor), {}};
    }
    if (!input_.warm) return {choir::Draft::from(spec_, *input_.source), {}};
    input_.warm->draft.advance(spec_);
    return std::move(*input_.warm);
  }

  const choir::Nest* first_nest() const {
    const std::vector<choir::PipelineStep>& steps = manager_.root().steps;
    return steps.empty() ? nullptr : std::get_if<choir::Nest>(&steps.front());
  }

  Status make(const std::function<void()>& inside) {
    std::optional<choir::WarmDraft> warm;
    // A target's copy is part of what the target costs; elsewhere it is part of the hand-over.
    if (stage_ != Stage::target) warm = take_draft();
    output_.started_at = options_.now();
    if (inside) inside();
    if (!warm) warm = take_draft();
    Status status = run_passes(*warm, false);
    output_.finished_at = options_.now();
    if (!status && !manager_.last_failure()->pass.empty()) return status;
    if (status) status = seal(std::move(*warm));
    return status ? std::move(status) : find_culprit(std::move(status.error()));
  }

  /// What the last pass leaves, of a stage or of a nest, is verified when it is sealed. Refused, it
  /// is worth running the passes again to tell whether the pass or the stage's rules are at fault.
  Status find_culprit(Error refusal) {
    choir::WarmDraft again{choir::Draft::from(spec_, *input_.source), {}};
    bodies_ = nullptr;
    ACCY_TRY(run_passes(again, true));
    if (options_.failure != nullptr) *options_.failure = describe_refusal(refusal);
    return fail(std::move(refusal));
  }

  choir::PassFailure describe_refusal(const Error& refusal) const {
    choir::PassFailure failure{.pipeline = std::string(manager_.root().name),
                               .kind = choir::FailureKind::stage_refused,
                               .steps = manager_.root().recipe(),
                               .op = refusal.op,
                               .verifier_error = refusal.to_string(),
                               .error = refusal.to_string(),
                               .workers = options_.workers};
    if (!options_.keep_module_text) return failure;
    choir::Draft source = choir::Draft::from(spec_, *input_.source);
    if (uses_profile(stage_)) apply(source.module());
    failure.module_text = choir::print(source.module());
    return failure;
  }

  void apply(choir::Module& module) const {
    TargetOptions target{.schedules = options_.schedules};
    if (options_.profile != nullptr) target.profile = *options_.profile;
    apply_target_options(module, target);
  }

  Status run_passes(choir::WarmDraft& warm, bool verify_last) {
    if (uses_profile(stage_)) apply(warm.draft.module());
    const choir::RunOptions run{.verify_last = verify_last,
                                .workers = options_.workers,
                                .keep_module_text = options_.keep_module_text,
                                .before_each = options_.before_each,
                                .store = options_.store,
                                .bodies = bodies_,
                                .fact_value = value_of_};
    Status status = manager_.run_with_analysis_cache(warm.draft.module(), warm.analyses, run);
    output_.run.statistics = manager_.statistics();
    output_.run.parts = manager_.parts();
    if (!status && options_.failure != nullptr) *options_.failure = *manager_.last_failure();
    if (options_.decisions != nullptr) options_.decisions->append(manager_.take_decisions());
    return status;
  }

  Status seal(choir::WarmDraft warm) {
    remove_target_options(warm.draft.module());
    std::vector<choir::Fact> facts = manager_.facts().facts();
    const choir::ProductKey key = choir::product_key(request_, facts);
    std::vector<choir::Dependency> dependencies{{"source", input_.source}};
    // Nothing goes on from a target product, and a target starts from a copy of its kernel
    // product, which several targets may share.
    if (stage_ == Stage::target || stage_ == Stage::kernel) {
      ACCY_TRY_ASSIGN(output_.product,
                      std::move(warm.draft).seal(std::move(dependencies), key, std::move(facts)));
    } else {
      ACCY_TRY_ASSIGN(output_.product,
                      warm.draft.seal_copy(std::move(dependencies), key, std::move(facts)));
      output_.warm = std::move(warm);
    }
    if (options_.store != nullptr) options_.store->insert(request_, output_.product);
    return {};
  }

  Stage stage_;
  const choir::StageSpec& spec_;
  StageInput input_;
  const PreparationOptions& options_;
  choir::PassManager manager_;
  std::function<std::string(std::string_view)> value_of_;
  choir::ProductRequest request_;
  const choir::Module* bodies_ = nullptr;  ///< where the kernels are that the draft outlines
  StageOutput output_;
};

}  // namespace

std::uint64_t fingerprint(const choir::Revision& revision) {
  return revision.address().content.high;
}

Result<StageOutput> run_stage(Stage stage, StageInput input, const PreparationOptions& options,
                              const std::function<void()>& inside) {
  ACCY_TRY_ASSIGN(choir::Pipeline pipeline, stage_pipeline(stage, options.recipe_arguments()));
  if (options.edit_pipeline) options.edit_pipeline(to_string(stage), pipeline);
  return StageRunner(stage, std::move(input), options, std::move(pipeline)).run(inside);
}

}  // namespace accy::preparation
