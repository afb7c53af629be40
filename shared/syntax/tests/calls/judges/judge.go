package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"strings"
)

func name(callee ast.Expr) string {
	switch it := callee.(type) {
	case *ast.Ident:
		return it.Name
	case *ast.SelectorExpr:
		return it.Sel.Name
	case *ast.IndexExpr:
		return name(it.X)
	case *ast.IndexListExpr:
		return name(it.X)
	}
	return ""
}

func main() {
	input, _ := io.ReadAll(os.Stdin)
	for _, program := range strings.Split(string(input), "\x00") {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", program, 0)
		if err != nil {
			fmt.Println("-")
			continue
		}
		total := 0
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && name(call.Fun) == "hit" {
				total++
			}
			return true
		})
		fmt.Println(total)
	}
}
