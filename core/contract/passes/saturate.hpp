// saturate: looks for a cheaper program among all that the rules say are equal.
#pragma once

#include "choir/egraph/saturation.hpp"
#include "choir/pass_registry.hpp"

namespace accy::contract {

/// Builds an e-graph of the pure operations of a function, applies the rules of
/// core/contract/saturation/ and takes the cheapest program, by bytes moved and operations. The
/// program stays as it is unless that is strictly cheaper. Rules that reorder sums of floats apply
/// in fast mode of free order only.
choir::Pass saturate_pass(choir::SaturationLimits limits);
choir::PassRegistration saturate_registration();

}  // namespace accy::contract
