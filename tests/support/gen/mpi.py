# SPDX-License-Identifier: MIT
"""A stencil over MPI: kernels, a stream sync, halo exchange with both neighbours, an Allreduce; and its tables.

An MPI call of an iteration is (start, end, rank, kind, name, communicator, size, tag, remote rank); kind c collective, p point to point."""
from .sim import Sim, jit

JACOBI = ("jacobi_kernel", "jacobi_kernel(float*, float const*, float*, int, int, int)", 450000, (512,512,1), (32,32,1), 32, 0)
COPY = ("copy_kernel", "copy_kernel(float*, float const*, int, int)", 60000, (512,512,1), (32,32,1), 20, 0)

def handle(a, r, comm=0):
    """0 is MPI_COMM_WORLD, 1 the rank's group: one number everywhere (MPICH), or, with --env ompi, a pointer that means something in its process only."""
    return 93824992231424 + 4096 * r + 512 * comm if a.env == "ompi" else 1140850688 - 939524096 * comm

def groups(a): return [list(range(g * a.ranks // a.groups, (g + 1) * a.ranks // a.groups)) for g in range(a.groups)] if a.groups > 1 else []

def simulate_mpi(a, rng, S, slow):
    s = Sim(a, rng, S, slow); R = a.ranks; beg = list(s.cpu); cpu = s.cpu
    for r in range(R): cpu[r] += s.plants.late(r)
    for step in range(a.layers):
        t = list(cpu)
        for r in range(R):
            s.kern(r, JACOBI); s.kern(r, COPY)
            s.gpu[r] = s.copy(r, 7, 131072, 2, 2, 1, 14_000, 4200, s.gpu[r] + 800, 1200) + 900; s.sync(r)
        for tag, way in ((0, 1), (1, -1)):
            at = list(cpu); ns = [jit(rng, 9000, .2) for _ in range(R)]
            for r in range(R):
                end = max(at[r], at[(r - way) % R], at[(r + way) % R]) + ns[r]
                s.P.append((at[r], end, r, "p", S("MPI_Sendrecv"), 0, 131072, tag, (r + way) % R)); cpu[r] = end + 800
        for r in range(R): s.gpu[r] = s.copy(r, 7, 131072, 1, 1, 2, 14_000, 4200, s.gpu[r], 1200) + 900
        for g in [list(range(R))] + groups(a):
            last = max(cpu[r] for r in g) + jit(rng, 12000, .2); ends = {r: last + rng.randrange(400) for r in g}; whole = len(g) == R
            s.C.append(("world" if whole else "group", tuple(g), "Allreduce", 8 if whole else 64, None, [(cpu[r], ends[r]) for r in g]))
            for r in g: s.P.append((cpu[r], ends[r], r, "c", S("MPI_Allreduce"), 0 if whole else 1, 8 if whole else 64, None, None)); cpu[r] = ends[r] + 900
        for r in range(R): s.nvtx(r, t[r] - 200, cpu[r] - 500, "Jacobi step")
    for r in range(R): s.sync(r); s.nvtx(r, beg[r] - 1500, cpu[r] + 600, "@iter")
    return s.rows(max(cpu) + 30_000)

def write_mpi(f, calls, base):
    """MPI rows of one iteration; captures of 2020 and 2021 have names and times only."""
    rows = {"MPI_COLLECTIVES_EVENTS": [], "MPI_P2P_EVENTS": [], "MPI_OTHER_EVENTS": []}
    for s, e, r, kind, name, comm, size, tag, remote in f.keep(calls):
        common = (f.tm(base + s), f.tm(base + e), f.GT[r][0], name)
        if f.a.mpi == "old": rows["MPI_OTHER_EVENTS"].append(common)
        elif kind == "c": rows["MPI_COLLECTIVES_EVENTS"].append(common + (handle(f.a, r, comm), None, size, size, None))
        else: rows["MPI_P2P_EVENTS"].append(common + (handle(f.a, r, comm), tag, remote, size, None))
    for t, x in rows.items():
        if x: f.db.executemany("INSERT INTO %s VALUES (%s)" % (t, ",".join("?" * len(x[0]))), x)
    return sum(map(len, rows.values()))

def write_tables(f):
    """Init, Finalize and, in newer captures, ranks and communicators."""
    S, R = f.job.S, f.a.ranks; init, barrier, fin = S.d["MPI_Init"], S.d["MPI_Barrier"], S.d["MPI_Finalize"]
    for r in f.ranks:
        for s, e, name in ((900_000, 1_900_000, init), (f.job.dur - 4_000_000, f.job.dur - 3_000_000, fin)): f.db.execute("INSERT INTO MPI_OTHER_EVENTS VALUES (?,?,?,?)", (f.tm(s), f.tm(e), f.GT[r][0], name))
        x = (f.tm(2_500_000 + 700 * r), f.tm(2_600_000 + 13 * r), f.GT[r][0], barrier)
        if f.a.mpi == "old": f.db.execute("INSERT INTO MPI_OTHER_EVENTS VALUES (?,?,?,?)", x); continue
        f.db.execute("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (?,?,?,?,?,NULL,NULL,NULL,NULL)", x + (handle(f.a, r),))
        f.db.execute("INSERT INTO MPI_RANKS VALUES (?,?)", (f.GT[r][0], r))
        made = [(0, None, list(range(R)))] + [(1, handle(f.a, r), g) for g in groups(f.a) if r in g]
        for comm, parent, g in made: f.db.execute("INSERT INTO MPI_COMMUNICATORS VALUES (?,?,?,?,?,?,?,0,?)", (r, f.tm(1_900_000 + 1000 * comm), handle(f.a, r, comm), parent, g.index(r), len(g), g[0], ",".join(map(str, g))))
