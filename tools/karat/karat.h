/* karat.h - the subcommands: each takes the arguments after its name and returns an exit code. */
#ifndef KT_TOOLS_KARAT_KARAT_H
#define KT_TOOLS_KARAT_KARAT_H

int karat_demo(int n, char **words);
int karat_doctor(int n, char **words);
int karat_ops(int n, char **words);
int karat_pip_shim(int n, char **words);
int karat_run(int n, char **words);

#endif
