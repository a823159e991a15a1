/* all.h - ids of all kernels, for the few that name them all: the rows, the names, tests. */
#ifndef KT_TABLES_KERNELS_ALL_H
#define KT_TABLES_KERNELS_ALL_H

#include "tables/kernels/attention.h"
#include "tables/kernels/check.h"
#include "tables/kernels/copy.h"
#include "tables/kernels/elementwise.h"
#include "tables/kernels/fourier.h"
#include "tables/kernels/index.h"
#include "tables/kernels/norm.h"
#include "tables/kernels/optimizer.h"
#include "tables/kernels/order.h"
#include "tables/kernels/product.h"
#include "tables/kernels/random.h"
#include "tables/kernels/recurrent.h"
#include "tables/kernels/reduce.h"
#include "tables/kernels/resample.h"
#include "tables/kernels/scan.h"
#include "tables/kernels/search.h"
#include "tables/kernels/softmax.h"
#include "tables/kernels/window.h"

#endif
