// What launchers set in the environment of each rank.
#include "dynamic_check/run/execute/processes/launcher_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

using Set = std::map<std::string, std::string, std::less<>>;

std::optional<Launch> launch(const Set& set) {
  return launch_of(
      [&](const char* name) {
        const auto found = set.find(name);
        return found == set.end() ? nullptr : found->second.c_str();
      },
      4321);
}

TEST(Launch, NobodyOrASingleRankIsNone) {
  EXPECT_FALSE(launch({}));
  EXPECT_FALSE(launch({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  // The script of a batch job of four tasks, outside of srun.
  EXPECT_FALSE(launch({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
}

TEST(Launch, TorchrunSaysWhereTheStoreIs) {
  const auto found = launch({{"RANK", "3"},
                             {"WORLD_SIZE", "4"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "2"},
                             {"MASTER_ADDR", "node0"},
                             {"MASTER_PORT", "29501"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->ranks, 4);
  EXPECT_EQ(found->local_rank, 1);
  EXPECT_FALSE(found->one_host);
  EXPECT_EQ(found->host, "node0");
  EXPECT_EQ(found->port, 29501);
  EXPECT_TRUE(found->has_store);
  EXPECT_EQ(found->attempt, 2);
}

TEST(Launch, OnOneMachineMpirunAndSrunNeedNoAddress) {
  const Set open_mpi{{"OMPI_COMM_WORLD_RANK", "1"},
                     {"OMPI_COMM_WORLD_SIZE", "2"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const Set mpich{
      {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}};
  const Set srun{{"SLURM_PROCID", "1"},
                 {"SLURM_STEP_NUM_TASKS", "2"},
                 {"SLURM_LOCALID", "1"},
                 {"SLURM_STEP_TASKS_PER_NODE", "2"}};
  for (const Set& set : {open_mpi, mpich, srun}) {
    const auto found = launch(set);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rank, 1);
    EXPECT_EQ(found->local_rank, 1);
    EXPECT_TRUE(found->one_host);
    EXPECT_EQ(found->host, "127.0.0.1");
    EXPECT_EQ(found->port, launch(open_mpi)->port);
  }
}

TEST(Launch, ALauncherInTheJobOfAnotherIsTheOneThatCounts) {
  // mpirun starts its ranks within one task of Slurm's.
  Set ranks{{"OMPI_COMM_WORLD_RANK", "1"},
            {"OMPI_COMM_WORLD_SIZE", "2"},
            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
            {"SLURM_PROCID", "0"},
            {"SLURM_STEP_NUM_TASKS", "1"},
            {"SLURM_LOCALID", "0"},
            {"SLURM_STEP_TASKS_PER_NODE", "1"}};
  EXPECT_EQ(launch(ranks)->rank, 1);
  // srun --mpi=pmi2 sets PMI_RANK and PMI_SIZE too, but not MPICH's places.
  ranks = {{"PMI_RANK", "1"},      {"PMI_SIZE", "2"},
           {"SLURM_PROCID", "1"},  {"SLURM_STEP_NUM_TASKS", "2"},
           {"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "2"}};
  ASSERT_NO_THROW(launch(ranks));
  EXPECT_TRUE(launch(ranks)->one_host);
  EXPECT_EQ(launch(ranks)->local_rank, 1);
}

TEST(Launch, SeveralMachinesNeedAnAddress) {
  const Set two{{"OMPI_COMM_WORLD_RANK", "1"},
                {"OMPI_COMM_WORLD_SIZE", "2"},
                {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}};
  EXPECT_THROW(launch(two), UserError);
  Set told = two;
  told.insert({{"MASTER_ADDR", "node0"}, {"MASTER_PORT", "5000"}});
  EXPECT_EQ(launch(told)->host, "node0");
}

TEST(Launch, WhatCannotBeIsAnError) {
  EXPECT_THROW(launch({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), UserError);
  EXPECT_THROW(launch({{"RANK", "one"}, {"WORLD_SIZE", "2"}}), UserError);
  EXPECT_THROW(launch({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), UserError);
}

}  // namespace
}  // namespace assay
