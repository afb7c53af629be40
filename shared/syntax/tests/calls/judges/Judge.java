import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.net.URI;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

public class Judge {
    public static void main(String[] arguments) throws Exception {
        var input = new String(System.in.readAllBytes());
        for (var program : input.split("\0")) {
            System.out.println(count(program));
        }
    }

    private static String count(String program) throws Exception {
        var file = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignored) {
                return program;
            }
        };
        var problems = new DiagnosticCollector<JavaFileObject>();
        var compiler = ToolProvider.getSystemJavaCompiler();
        var task = (JavacTask) compiler.getTask(null, null, problems, List.of(), null, List.of(file));
        var total = new int[1];
        for (var unit : task.parse()) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
                    var callee = call.getMethodSelect();
                    var name = callee instanceof IdentifierTree it ? it.getName()
                            : callee instanceof MemberSelectTree it ? it.getIdentifier() : null;
                    total[0] += name != null && name.contentEquals("hit") ? 1 : 0;
                    return super.visitMethodInvocation(call, nothing);
                }
            }.scan(unit, null);
        }
        return problems.getDiagnostics().isEmpty() ? String.valueOf(total[0]) : "-";
    }
}
