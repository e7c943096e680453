# SPDX-License-Identifier: MIT
"""Library calls around the launches of a file: cuBLAS around GEMMs, and cuDNN around layer norms with an OpenACC construct inside."""
import sqlite3

TABLES = {"CUBLAS_EVENTS": "", "CUDNN_EVENTS": "", "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH": ", eventKind INTEGER, lineNo INTEGER, srcFile INTEGER"}
LEAD = 40       # ns between the launch call and the call around it: less than calls are apart

def plant_libraries(path):
    """Add the tables to a file. Returns by call: kernels, and the sum of their durations."""
    db = sqlite3.connect(path); db.text_factory = lambda b: b.decode("utf-8", "replace")
    (free,) = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone(); texts = {}; truth = {}
    def text(s): return texts.setdefault(s, free + len(texts))
    for table, more in TABLES.items():
        db.execute("DROP TABLE IF EXISTS %s" % table)
        db.execute("CREATE TABLE %s (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER%s)" % (table, more))
    found = db.execute("SELECT r.start, r.end, r.globalTid, s.value, k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
                       "ON r.correlationId = k.correlationId AND r.globalTid / 16777216 = k.globalPid / 16777216 JOIN StringIds s ON s.id = k.shortName").fetchall()
    for start, end, tid, name, ns in found:
        call = "cublasGemmEx" if "gemm" in name else "solve.f90:54 (Enqueue Launch)" if "norm" in name else None
        if call == "cublasGemmEx":
            db.execute("INSERT INTO CUBLAS_EVENTS VALUES (?, ?, ?, ?)", (start - LEAD, end + LEAD, tid, text(call)))
        elif call:
            db.execute("INSERT INTO CUDNN_EVENTS VALUES (?, ?, ?, ?)", (start - LEAD, end + LEAD, tid, text("cudnnNormalizationForward")))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH VALUES (?, ?, ?, ?, 4, 54, ?)", (start - LEAD // 2, end, tid, text("Enqueue Launch"), text("solve.f90")))
        of = truth.setdefault(call or "", [0, 0]); of[0] += 1; of[1] += ns
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, s) for s, i in texts.items()])
    db.commit(); db.close()
    return truth
