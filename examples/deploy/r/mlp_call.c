/* What R's .Call needs of mlp.h: a model that R frees, and numbers, which R has as doubles, as floats and back. */
#include <R.h>
#include <Rinternals.h>

#include "mlp.h"

static void destroy(SEXP model) {
    mlp_destroy(R_ExternalPtrAddr(model));
    R_ClearExternalPtr(model);
}

SEXP open_model(void) {
    mlp *made = NULL;
    int32_t code = mlp_create(&made, NULL);
    if (code) error("%s", mlp_error(code));
    SEXP model = PROTECT(R_MakeExternalPtr(made, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(model, destroy, TRUE);
    UNPROTECT(1);
    return model;
}

SEXP run_model(SEXP model, SEXP data) {
    int64_t sizes[] = {1, XLENGTH(data)};
    float *values = (float *)R_alloc(XLENGTH(data), sizeof(float)), output[2]; /* R frees what R_alloc gives */
    for (R_xlen_t i = 0; i < XLENGTH(data); i++) values[i] = (float)REAL(data)[i];
    int32_t code = mlp_run(R_ExternalPtrAddr(model), (const void *[]){values}, sizes, (void *[]){output}, NULL);
    if (code) error("%s", mlp_error(code));
    SEXP result = allocVector(REALSXP, 2);
    for (int i = 0; i < 2; i++) REAL(result)[i] = output[i];
    return result;
}
