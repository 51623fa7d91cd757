// The compiler's door: everything to prepare a program for a target.
//
//   auto semantic = semantic::parse_semantic_module(text, file);
//   auto memory = prepare_memory_job_from_semantic_module(std::move(*semantic), options);
//   // options.profile and options.backend name the target; fork() for each further target
//   auto target = prepare_target_job_from_memory_job(memory->fork(), options);
//   auto module = BackendPreparedModule::from(*target);
//
// A program that starts later than the semantic stage is sealed by choir::seal_job and ends in a
// BackendPreparedJob.
#pragma once

#include "preparation/backend_job.hpp"
#include "preparation/execution.hpp"
#include "preparation/options.hpp"
#include "preparation/prepared_module.hpp"
