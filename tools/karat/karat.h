/* karat.h - the parts of the command: each takes the words after its own name and returns an exit code. */
#ifndef KT_TOOLS_KARAT_H
#define KT_TOOLS_KARAT_H

int karat_demo(int n, char **words);
int karat_doctor(int n, char **words);
int karat_ops(int n, char **words);
int karat_run(int n, char **words);

#endif
