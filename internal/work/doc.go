// Package work is what waits for operators: queues by age, and who works on what. It decides nothing:
// deposits, appeals and the rest are decided in their own rooms.
package work
