package javax.annotation;

/** An annotation of the generated classes, which Java has not contained since version 11. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
