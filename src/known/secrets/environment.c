/* SPDX-License-Identifier: MIT */
#include "known/secrets/environment.h"

#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "known/secrets/secrets.h"

static const char *const names[] = {
	/* ranks and sizes: torchrun, Open MPI, PMIx, PMI, Intel MPI, Slurm */
	"RANK",
	"LOCAL_RANK",
	"GROUP_RANK",
	"NODE_RANK",
	"WORLD_SIZE",
	"LOCAL_WORLD_SIZE",
	"OMPI_COMM_WORLD_RANK",
	"OMPI_COMM_WORLD_SIZE",
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"OMPI_COMM_WORLD_LOCAL_SIZE",
	"OMPI_COMM_WORLD_NODE_RANK",
	"PMIX_RANK",
	"PMI_RANK",
	"PMI_SIZE",
	"MPI_LOCALRANKID",
	"MPI_LOCALNRANKS",
	"SLURM_PROCID",
	"SLURM_LOCALID",
	"SLURM_NODEID",
	"SLURM_NTASKS",
	"SLURM_NPROCS",
	"SLURM_NNODES",
	"SLURM_JOB_NUM_NODES",
	/* jobs */
	"SLURM_JOB_ID",
	"SLURM_JOBID",
	"SLURM_STEP_ID",
	"PBS_JOBID",
	"LSB_JOBID",
	"TORCHELASTIC_RUN_ID",
	"MASTER_ADDR",
	"MASTER_PORT",
	/* nodes and GPUs */
	"HOSTNAME",
	"SLURMD_NODENAME",
	"CUDA_VISIBLE_DEVICES",
};

bool wl_environment_is_kept(const char *assignment)
{
	size_t n = strcspn(assignment, "=");

	if (wl_secret_name_of(assignment, n, WL_SECRET_MAYBE) != WL_SECRET_NO_NAME)
		return false;
	if (strncmp(assignment, "NCCL_", strlen("NCCL_")) == 0)
		return true;
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strlen(names[i]) == n && strncmp(assignment, names[i], n) == 0)
			return true;
	}
	return false;
}

bool wl_environment_is_row(const char *name, size_t n)
{
	static const char word[] = "environment", ending[] = "env";

	if (n >= strlen(ending) &&
	    strncasecmp(name + n - strlen(ending), ending, strlen(ending)) == 0)
		return true;
	for (size_t i = 0; i + strlen(word) <= n; i++)
		if (strncasecmp(name + i, word, strlen(word)) == 0)
			return true;
	return false;
}

const char *wl_environment_value(const char *assignment, const char *name, size_t *ret_n)
{
	size_t n = strlen(name);
	const char *value = assignment + n + 1;

	if (strncmp(assignment, name, n) != 0 || assignment[n] != '=')
		return NULL;
	*ret_n = strlen(value);
	if (*ret_n >= 2 && value[0] == '"' && value[*ret_n - 1] == '"') {
		value++;
		*ret_n -= 2;
	}
	return value;
}
