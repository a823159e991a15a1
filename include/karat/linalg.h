/* linalg.h - the error of linear algebra: a matrix is singular or not positive-definite, or an algorithm did not converge. */
#ifndef KARAT_LINALG_H
#define KARAT_LINALG_H

#include <karat/base.h>

#define KT_ERR_LINALG ((kt_status)-9) /* torch.linalg.LinAlgError, a RuntimeError */

#endif
