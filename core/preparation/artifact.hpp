// Artifacts: a compiled program as one file, which runs without being compiled.
//
//   "accy-artifact 1\n"
//   a line of JSON: {compiler, profile, facts: what kernel and target stage read of it,
//                    contract, target: bytes of the products}
//   the contract product and the target product as bytecode
//   the digest of all before it, "\n"
//
// Weights stay in their files, which are looked for beside the artifact.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "preparation/prepared_module.hpp"
#include "profile/profile.hpp"

namespace accy::preparation {

struct Artifact {
  TargetProfile profile;           ///< that it was compiled for
  std::vector<choir::Fact> facts;  ///< of the profile, on which the code rests
  choir::RevisionRef contract;     ///< for names, types and checking
  choir::RevisionRef target;       ///< what runs
};

/// Whether a file's first bytes say that it is one, of whatever version.
bool is_artifact(std::string_view bytes);

std::string format_artifact(const BackendPreparedModule& module, const TargetProfile& profile);

/// Reads, checks and seals both products. Errors name `file`: damaged, of another version,
/// malformed.
Result<Artifact> parse_artifact(std::string_view bytes, std::string_view file);

/// An error unless the device answers every fact as the artifact's profile did.
Status require_device(const Artifact& artifact, const TargetProfile& device);

}  // namespace accy::preparation
